"""What a file that no loader recognises looks like."""

from __future__ import annotations

import re

from attention_core.loaders.base.lines import first_lines
from attention_core.loaders.base.source import Source
from attention_core.loaders.base.table import JSON, survey_table
from attention_core.loaders.base.wording import size

PICKLE = "a pickle, which is never opened because it can run any code"
FASTTEXT = "a fastText model, which holds parts of words rather than a vector for each word"
GENSIM_VECTORS = f"vectors saved by gensim, {PICKLE}"
GENSIM_MODEL = f"a model saved by gensim, {PICKLE}"
PYTORCH = f"a PyTorch file, inside which is {PICKLE}"

_BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (rb"\xba\x16\x4f\x2f", FASTTEXT),
    (rb"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19", PYTORCH),
    (rb"\x80[\x02-\x05](?s:.{0,32}?)gensim\.[\w.]+(?s:.{1,4}?)\w*KeyedVectors", GENSIM_VECTORS),
    (rb"\x80[\x02-\x05](?s:.*)gensim\.models", GENSIM_MODEL),
    (rb"\x80[\x02-\x05]", PICKLE),
    (rb"[]})(]q\x00|\(?[dlt]p\d+\n|\(dp|c[A-Za-z_][\w.]*\n[A-Za-z_]\w*\n", PICKLE),
    (rb"PK\x03\x04(?s:.{26}).*data\.pkl", PYTORCH),
    (rb"PK\x03\x04|PK\x05\x06", "a zip archive"),
    (rb"\x1f\x8b", "a gzip file"),
    (rb"BZh[1-9]", "a bzip2 file"),
    (rb"\xfd7zXZ\x00", "an xz file"),
    (rb"\x28\xb5\x2f\xfd", "a Zstandard file"),
    (rb"(?s).{257}ustar", "a tar archive"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (rb"ARROW1|FEA1", "an Arrow file"),
    (rb"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (rb"GGUF", "a GGUF model"),
    (rb"SQLite format 3\x00", "an SQLite database"),
    (rb"%PDF-", "a PDF document"),
    (rb"(?i)\s*<(?:!doctype|html|\?xml)", "a web page"),
    (
        JSON.pattern,
        'JSON, where {"river": [0.5, 1], …} or [{"word": "river", "vector": [0.5, 1]}, …] is expected',
    ),
)
"""Patterns that the first bytes match, the more telling first."""

_CONVERSIONS = {
    FASTTEXT: 'Convert it in Python: import gensim; gensim.models.fasttext.load_facebook_vectors("x.bin")'
    '.save_word2vec_format("x.vec")',
    GENSIM_VECTORS: 'If you trust it, convert it in Python: import gensim; gensim.models.KeyedVectors.load("x.kv")'
    '.save_word2vec_format("x.bin", binary=True)',
    GENSIM_MODEL: 'If you trust it, convert it in Python: import gensim; gensim.models.Word2Vec.load("x.model")'
    '.wv.save_word2vec_format("x.bin", binary=True)',
    PYTORCH: 'Convert a tensor of it in Python, numpy.save("x.npy", torch.load("x.pt", map_location="cpu", '
    'weights_only=True)["embedding.weight"].detach().float().numpy()), and load that with a list of its words',
    PICKLE: 'If you trust it, open it in Python, pickle.load(open("x.pkl", "rb")), and save what it holds with '
    'numpy.savez("x.npz", words=numpy.array(words, dtype=str), vectors=matrix)',
}
"""What to run, for content that is better converted than saved anew."""


def looks_like(source: Source) -> str:
    """What the content looks like, in the middle of a sentence."""
    for pattern, name in _BEGINNINGS:
        if re.match(pattern, source.head):
            return name
    return _kind_of_text(source)


def conversion(kind: str) -> str | None:
    """What turns content that looks like `kind` into a file that can be read, where that is one line to run."""
    return _CONVERSIONS.get(kind)


def _kind_of_text(source: Source) -> str:
    text = source.text_head
    if not text.strip():
        return "blank lines only"
    if b"\r" in text and b"\n" not in text:
        return "text whose lines end in a carriage return without a newline"
    if not first_lines(source, 1):
        return f"text whose first line goes on for more than {size(len(source.head))}"
    if re.search(rb"[\x00-\x08\x0e-\x1a]", text[:4096]):
        return "binary data of an unknown kind"
    if source.once(survey_table):
        return "a table without a column of words and columns of numbers or a column of vectors"
    return "text in which the lines are not a word followed by numbers"
