"""Files that are converted rather than read: each refusal says what to run."""

import io
import pickle
import struct
import sys
import types

import numpy as np
import pytest
import torch


class Canary:
    def __reduce__(self):
        return pytest.fail, ("unpickled",)


def saved_by(monkeypatch, module, name, protocol):
    """A pickle of an object of a class that is said to stand in a module of a library."""
    kind = type(name, (), {"__module__": module})
    stand_in = types.ModuleType(module)
    setattr(stand_in, name, kind)
    parents = [module.rsplit(".", depth)[0] for depth in range(1, module.count(".") + 1)]
    for path in (module, *parents):
        monkeypatch.setitem(sys.modules, path, stand_in)
    thing = kind()
    thing.canary = Canary()
    return pickle.dumps(thing, protocol)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("gensim.models.keyedvectors", "KeyedVectors"),
        ("gensim.models.keyedvectors", "Word2VecKeyedVectors"),
        ("gensim.models.fasttext", "FastTextKeyedVectors"),
    ],
)
def test_vectors_of_gensim(refusal, monkeypatch, module, name, protocol):
    message = refusal(saved_by(monkeypatch, module, name, protocol), "vectors.kv")
    assert "gensim" in message and "pickle" in message
    assert 'KeyedVectors.load("x.kv").save_word2vec_format("x.bin", binary=True)' in message


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_model_of_gensim(refusal, monkeypatch, protocol):
    message = refusal(saved_by(monkeypatch, "gensim.models.word2vec", "Word2Vec", protocol), "x.model")
    assert 'Word2Vec.load("x.model").wv.save_word2vec_format("x.bin", binary=True)' in message


@pytest.mark.parametrize("body", [bytes(400), b" 1\nriver 0.5 1\nstone 2 3\n"])
def test_a_model_of_fasttext(refusal, body):
    message = refusal(struct.pack("<ii", 793712314, 12) + body, "model.bin")
    assert "fastText" in message and 'load_facebook_vectors("x.bin").save_word2vec_format("x.vec")' in message


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("thing", [torch.ones(2, 3), {"embedding.weight": torch.ones(2, 3)}])
def test_a_file_of_pytorch(refusal, thing, zipped):
    file = io.BytesIO()
    torch.save(thing, file, _use_new_zipfile_serialization=zipped)
    message = refusal(file.getvalue(), "model.pt")
    assert (
        "PyTorch" in message
        and "pickle" in message
        and 'torch.load("x.pt", map_location="cpu", weights_only=True)' in message
    )


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("thing", [Canary(), {"river": np.ones(3)}, [0.5, 1.0]])
def test_any_other_pickle(refusal, thing, protocol):
    message = refusal(pickle.dumps(thing, protocol), "vectors.pkl")
    assert "pickle" in message and "numpy.savez" in message and "gensim" not in message
