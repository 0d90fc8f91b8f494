"""The bundled vectors, described as data; provenance and licences are in data/README.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np

from attention_core.embeddings import Embeddings
from attention_core.errors import AttentionCoreError

DATA = Path(__file__).resolve().parents[1] / "data"


@dataclass(frozen=True)
class Training:
    """What the training of a model compared.

    Attributes:
        model: its name.
        measure: a key of `MEASURES`.
        alike: whether two vectors of one kind were compared. GloVe and word2vec compare a word's vector with the other
            vector that each word has as a context, which files of word vectors leave out.
        source: where this is said.
    """

    model: str
    measure: str
    alike: bool
    source: str


@dataclass(frozen=True)
class Sample:
    """One bundled set of vectors.

    Attributes:
        name: its key in `SAMPLES`.
        file: its .npz in data/, with `words` (n,), `vectors` (n, d) float16 and `rank` (n,), by corpus frequency.
        label: what the vectors are, with their language.
        example: a word to start with.
        training: what the model's training compared.
        unit_length: whether the model gives unit vectors, whose norms float16 has disturbed (1 ± 0.00008, enough
            to reorder neighbours): they are renormalised in float64 on loading.
    """

    name: str
    file: str
    label: str
    example: str
    training: Training
    unit_length: bool = False


GLOVE = Training("GloVe", "dot", False, "Pennington, Socher and Manning 2014, equation 8")
WORD2VEC = Training("word2vec", "dot", False, "Mikolov et al. 2013, Distributed representations, equation 4")
MINILM = Training("all-MiniLM-L6-v2", "cosine", True, "its model card, section Fine-tuning")

SAMPLES: Mapping[str, Sample] = MappingProxyType(
    {
        sample.name: sample
        for sample in (
            Sample("glove-en", "en_glove50.npz", "English words, GloVe 6B, 50 dimensions", "king", GLOVE),
            Sample(
                "wiki-zh",
                "zh_wiki_w2v100.npz",
                "Chinese words, word2vec on Wikipedia, 100 dimensions",
                "国王",
                WORD2VEC,
            ),
            Sample(
                "minilm-en", "en_minilm384.npz", "English words, all-MiniLM-L6-v2, 384 dimensions", "king", MINILM, True
            ),
        )
    }
)


def sample(name: str) -> Embeddings:
    """One of the bundled samples.

    Args:
        name: a key of `SAMPLES`.

    Returns:
        The vectors as shipped (float16 widened to float32); minilm-en renormalised in float64 first.

    Raises:
        AttentionCoreError: no sample has that name.

    Example:
        >>> sample("glove-en")
        Embeddings('glove-en', 8,170 x 50)
    """
    if name not in SAMPLES:
        raise AttentionCoreError(f"There is no sample “{name}”. Choose one of {', '.join(SAMPLES)}.")
    entry = SAMPLES[name]
    with np.load(DATA / entry.file, allow_pickle=False) as arrays:
        vectors = arrays["vectors"].astype(np.float64)
        words, ranks = arrays["words"].tolist(), arrays["rank"]
    if entry.unit_length:
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Embeddings(words, vectors, source=name, frequency_rank=ranks)
