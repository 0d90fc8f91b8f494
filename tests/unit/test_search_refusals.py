"""What a search of many queries refuses."""

import numpy as np
import pytest

import attention_core as ac
from attention_core.measures.additive import AdditiveWeights


@pytest.mark.parametrize(
    ("queries", "options", "says"),
    [
        (["w0"], {"k": 0}, "0 was given"),
        ("w0", {}, "Put it in a list"),
        (["w0"], {"measures": ["chebyshev"]}, "no measure"),
        ([[1.0, 2.0]], {}, "3 numbers is expected"),
        ([[1.0, 2.0, np.nan]], {}, "Number 3"),
        (["nobody"], {}, "not among the words"),
        (["w0"], {"weights": AdditiveWeights.random(5, 5)}, "take queries of 5"),
    ],
)
def test_refusals(queries, options, says):
    with pytest.raises(ac.AttentionCoreError, match=says):
        ac.rank(ac.Embeddings(["w0", "w1", "w2"], np.eye(3), "test"), queries, **options)
