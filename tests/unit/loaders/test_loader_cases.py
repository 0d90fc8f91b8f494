"""The cases of tests/cases: each expected.json says what its files must give."""

import json
from pathlib import Path

import numpy as np
import pytest

from attention_core.embeddings import Embeddings
from attention_core.errors import EmbeddingsError
from attention_core.loaders import LOADERS, load

CASES = Path(__file__).parents[2] / "cases"
FORMATS = {
    "glove-text": "GloVe text",
    "word2vec-text": "word2vec text",
    "fasttext-vec": "word2vec text",
    "word2vec-binary": "word2vec binary",
}


def _cases():
    for expected in sorted(CASES.glob("embeddings/*/expected.json")):
        for name, wanted in json.loads(expected.read_text(encoding="utf-8"))["files"].items():
            if name != "additive_weights.json":
                yield pytest.param(expected.parent, name, wanted, id=f"{expected.parent.name}-{name}")


def _unmet(outcome, wanted):
    """What of `wanted` the outcome does not meet, as a list of sentences."""
    if wanted["must"] == "error":
        if not isinstance(outcome, EmbeddingsError):
            return ["loaded, where an error is expected"]
        named = wanted["error_must_name"]
        return [
            f"{fact} is missing in: {outcome}" for fact in named if not any(f in str(outcome) for f in fact.split("|"))
        ]
    if not isinstance(outcome, Embeddings):
        return [f"refused: {outcome}"]
    unmet = []
    if outcome.matrix.shape != (wanted["n_vectors"], wanted["dim"]):
        unmet.append(f"shape {outcome.matrix.shape}")
    if "labels" in wanted and list(outcome.words) != wanted["labels"]:
        unmet.append(f"words {outcome.words}")
    for word, vector in wanted.get("vectors", {}).items():
        if word not in outcome or not np.array_equal(outcome.vector(word), np.float32(vector)):
            unmet.append(f"the vector of {word!r}")
    if wanted.get("format") and FORMATS[wanted["format"]] not in outcome.source:
        unmet.append(f"source {outcome.source}")
    told = " ".join(outcome.warnings)
    return unmet + [f"{fact} is missing in: {told!r}" for fact in wanted.get("warn_must_name", []) if fact not in told]


@pytest.mark.parametrize(("folder", "name", "wanted"), list(_cases()))
def test_case(folder, name, wanted):
    labels = folder / "labels.txt"
    vectors, _, listing = name.partition(" + ")
    words = folder / listing if listing else labels if labels.exists() else None
    try:
        outcome = load(folder / vectors, words=words)
    except EmbeddingsError as error:
        outcome = error
    unmet = [_unmet(outcome, one) for one in (wanted, wanted.get("also_acceptable")) if one]
    assert [] in unmet, unmet


def test_what_the_pickle_case_holds_is_never_run():
    with pytest.raises(EmbeddingsError) as caught:
        load(CASES / "embeddings/14_pickle_in_disguise/model.bin")
    assert "CANARY" not in str(caught.value)


SAME_MATRIX = [
    *("word2vec_text.txt", "wide.csv", "openai_style_embedding_column.csv", "vectors.npz"),
    *("word2vec_binary.bin", "vectors.safetensors"),
    "list_column_pandas_f64.parquet",
]


@pytest.mark.parametrize("name", SAME_MATRIX)
def test_one_matrix_in_several_formats(name):
    one, other = load(CASES / "formats/glove_text.txt"), load(CASES / "formats" / name)
    assert one.words == other.words
    assert np.array_equal(one.matrix, other.matrix)
    assert not other.warnings


def test_chinese_words():
    e = load(CASES / "formats/zh_word2vec_text.txt")
    assert (e.matrix.shape, e.words[0], e.warnings) == ((293, 100), "月", ())


def test_words_stored_as_objects_are_refused_with_the_way_to_convert_them():
    with pytest.raises(EmbeddingsError, match="pickle.*dtype=str"):
        load(CASES / "formats/vectors_object_words_pickled.npz")


@pytest.mark.parametrize("path", sorted(CASES.glob("formats/*")), ids=lambda path: path.name)
def test_exactly_one_loader_recognises_each_file(path):
    from attention_core.loaders.base.limits import Limits
    from attention_core.loaders.base.opening import opened

    with opened(path, None, Limits()) as source:
        assert len([name for name, loader in LOADERS.items() if loader.recognises(source)]) == 1
