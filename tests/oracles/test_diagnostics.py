"""glove-en's diagnostics against reference.json: figures computed in float64 by another program."""

import json
from pathlib import Path

import numpy as np
import pytest

import attention_core as ac
from tests.tolerance import tolerance

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text(encoding="utf-8"))["en_glove50"]
SPACE = REFERENCE["space"]
pytestmark = pytest.mark.usefixtures("one_thread")
THEIRS = {"dot": "dot", "cosine": "cosine", "euclidean": "neg_euclidean"}
ATOL = tolerance(np.float64, terms=8_170, why="ranks and means of 8,170 norms")


@pytest.fixture(scope="module")
def found(glove, one_thread):
    return ac.diagnostics(glove)


def test_norm_against_frequency(found):
    assert found.norm_vs_rank == pytest.approx(-0.29366291279929, rel=0, abs=1e-13)
    assert found.norm_vs_rank == pytest.approx(SPACE["spearman_norm_vs_rank"], rel=0, abs=ATOL)
    np.testing.assert_allclose(found.geometry.decile_means(), SPACE["mean_norm_by_rank_decile"], rtol=0, atol=ATOL)


def test_the_norms(found, glove):
    norm = SPACE["norm"]
    measured = [found.norms.min(), found.norms.mean(), found.geometry.median, found.norms.max()]
    np.testing.assert_allclose(measured, [norm[key] for key in ("min", "mean", "median", "max")], rtol=0, atol=ATOL)
    assert (glove.words[found.norms.argmin()], glove.words[found.norms.argmax()]) == (norm["argmin"], norm["argmax"])


def test_the_mean_cosine_is_what_200_000_random_pairs_give(found, glove):
    """Theirs is drawn (a pair may be one word twice), ours is exact: they differ by its standard error."""
    error = SPACE["std_cosine_random_pairs"] / np.sqrt(200_000)
    n = len(glove)
    with_self = found.anisotropy + (1 - found.anisotropy) / n
    assert with_self == pytest.approx(SPACE["cosine_of_mean_direction"], rel=0, abs=ATOL)
    assert with_self == pytest.approx(SPACE["mean_cosine_random_pairs"], rel=0, abs=3 * error)
    assert found.anisotropy_centred == pytest.approx(SPACE["mean_cosine_random_pairs_after_centering"], abs=3 * error)


@pytest.mark.parametrize("measure", THEIRS)
def test_hubness(found, measure):
    hub, expected = found.hubness[measure], REFERENCE["hubness"][THEIRS[measure]]
    atol = tolerance(np.float64, terms=8_170, scale=10, why="three moments of 8,170 counts")
    assert hub.skewness == pytest.approx(expected["skewness_k10"], rel=0, abs=atol)
    assert (hub.counts.max(), hub.antihub_share) == (expected["max_Nk"], expected["anti_hubs_frac_Nk0"])
    assert hub.norm_correlation == pytest.approx(expected["spearman_Nk_vs_norm"], rel=0, abs=atol)
    assert dict(hub.hubs).items() >= dict(expected["top_hubs"]).items()
    assert len(hub.antihubs) == (hub.counts == 0).sum()


@pytest.mark.parametrize("pair", [("dot", "cosine"), ("cosine", "euclidean"), ("dot", "euclidean")])
def test_overlap(found, pair):
    expected = REFERENCE["overlap_at_10_all_words"]["|".join(THEIRS[name] for name in pair)]
    assert found.overlap[pair].mean == pytest.approx(expected, rel=0, abs=0.05 / 8_170), "not one neighbour differs"


def test_the_parts_tell_of_the_same_vectors(found, glove):
    assert found.source == glove.source and found.norms is glove.norms
    assert round(found.spectrum.effective_dimension, 1) == 31.8 and found.duplicates.twins == ()
