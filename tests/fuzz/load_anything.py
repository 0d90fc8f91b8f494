"""Coverage-guided fuzzing of `load`: whatever bytes come in, the result is an `Embeddings` or an `EmbeddingsError`.

    python tests/fuzz/load_anything.py -max_total_time=600 tests/cases/formats

Takes libFuzzer's options and folders of first inputs. Two bytes at the end of an input choose the file's name, whether
half of the input is a list of words, and how a text is read.
"""

import io
import sys
import warnings
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

with atheris.instrument_imports(include=["attention_core"]):
    import attention_core as ac

warnings.simplefilter("error")
LIMITS = ac.Limits(bytes=1_000_000, rows=10_000, dimensions=1_000)
NAMES = (None, "v.txt", "v.vec", "v.csv", "v.tsv", "v.npy", "v.npz", "v.bin", "v.json", "v.jsonl", "v.parquet", "v.gz")
CHOICES = (
    *(ac.Choices() for _ in range(4)),
    ac.Choices(header=True),
    ac.Choices(header=False),
    ac.Choices(separator=";"),
    ac.Choices(word="word", vectors=("d0",)),
)


def load(data: bytes) -> None:
    """Raises what must not be raised."""
    content, (first, second) = data[:-2], data[-2:].rjust(2, b"\0")
    words = None
    if second & 0x80:
        middle = len(content) // 2
        content, words = content[:middle], io.BytesIO(content[middle:])
    try:
        found = ac.load(
            io.BytesIO(content),
            words=words,
            name=NAMES[first % len(NAMES)],
            limits=LIMITS,
            choices=CHOICES[second % len(CHOICES)],
        )
    except ac.EmbeddingsError:
        return
    assert isinstance(found, ac.Embeddings)


if __name__ == "__main__":
    atheris.Setup(sys.argv, load)
    atheris.Fuzz()
