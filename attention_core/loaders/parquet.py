"""Parquet: a column of words beside a column of lists, or beside a column for each dimension."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import NDArray

from attention_core.loaders.base import Contents, Loader, Source
from attention_core.loaders.base.growing import GrowingMatrix
from attention_core.loaders.base.parquet_columns import Columns, choose_columns
from attention_core.loaders.base.parquet_pages import EncryptedError, unpacked_columns
from attention_core.loaders.base.wording import counted, printable, quoted

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_BATCH = 2**21  # numbers
_MOST_ROWS = 2**16  # of a batch
_BUFFERS = 2**25  # bytes, for all columns together
_LONGEST_REASON = 120


def recognises(source: Source) -> bool:
    """Whether the file begins with the magic string of Parquet, or of Parquet with an encrypted footer."""
    return source.head.startswith((b"PAR1", b"PARE"))


def read(source: Source) -> Contents:
    """The words and the vectors, whatever their number type.

    Raises:
        EmbeddingsError: a damaged or encrypted file, no such columns, a word or a number that is null, vectors of
            different sizes, or more than the limits allow once it is unpacked.
    """
    import pyarrow.parquet as pq

    with _readable(source):
        if source.head.startswith(b"PARE"):
            raise EncryptedError
        file = pq.ParquetFile(source.file)
        metadata, schema = file.metadata, file.schema_arrow
    columns = choose_columns(schema, source)
    dimension = _checked_dimension(metadata, columns, source)
    rows = _Rows(columns, source)
    for batch in _batches(metadata, columns, dimension, source):
        rows.add(batch)
        source.report(source.size * rows.count // max(metadata.num_rows, rows.count), source.size)
    if rows.matrix is None or rows.count != metadata.num_rows:
        raise source.refusal(
            f"{counted(metadata.num_rows, 'row')} are declared, but {rows.count:,} found", "Write the file again"
        )
    return Contents(rows.matrix.finished(), None if columns.word is None else rows.words, None, columns.warnings)


def _checked_dimension(metadata: pq.FileMetaData, columns: Columns, source: Source) -> int:
    """How many numbers a row holds, in the mean; refuses what would unpack to more than the limits allow."""
    rows = metadata.num_rows
    if rows <= 0:
        raise source.refusal("the table holds no rows", "Choose a file that holds words and vectors")
    dimension = 1 if columns.lists else len(columns.vectors)
    source.check_shape(rows, dimension)
    with _readable(source):
        paths = [metadata.schema.column(i).path for i in range(metadata.num_columns)]
        parts = list(zip(paths, unpacked_columns(source.file, source.size), strict=True))
    # The numbers of a list lie deeper: “vector.list.element”.
    read = [(path, part) for path, part in parts if path in columns.names or path.startswith(f"{columns.vectors[0]}.")]
    source.check_bytes(sum(part.bytes for _, part in read), "the unpacked table")
    if columns.lists:
        dimension = max(-(-max(part.values for path, part in read if path != columns.word) // rows), 1)
        source.check_shape(rows, dimension)
    return dimension


def _batches(metadata: pq.FileMetaData, columns: Columns, dimension: int, source: Source) -> Iterator[pa.RecordBatch]:
    """A few rows at a time, so that their numbers stay few."""
    import pyarrow.parquet as pq

    with _readable(source):
        file = pq.ParquetFile(
            source.file,
            metadata=metadata,
            read_dictionary=[columns.word] if columns.textual else [],  # so that a repeated word is unpacked once
            buffer_size=max(_BUFFERS // len(columns.names), 2**12),
            pre_buffer=False,
        )
        rows = min(max(_BATCH // dimension, 1), _MOST_ROWS)
        batches = file.iter_batches(rows, columns=columns.names, use_threads=False)
    while True:
        with _readable(source):
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


class _Rows:
    """The words and vectors read so far."""

    def __init__(self, columns: Columns, source: Source) -> None:
        self._columns, self._source, self._characters = columns, source, 0
        self.words: list[str] = []
        self.matrix: GrowingMatrix | None = None
        self.count = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """The rows of a batch, none of which may lack anything."""
        if self._columns.word is not None:
            self._add_words(batch.column(self._columns.word))
        values = self._lists(batch) if self._columns.lists else self._wide(batch)
        if self.matrix is None:
            self.matrix = GrowingMatrix(values.shape[1], self._source)
        self.matrix.append(values)
        self.count += len(values)

    def _add_words(self, column: pa.Array) -> None:
        if column.null_count:
            self._refuse(_first_null(column), "a word is expected, found null")
        with _readable(self._source):
            words = _texts(column) if self._columns.textual else map(str, column.to_pylist())
        for row, word in enumerate(words):
            if word is None:
                self._refuse(row, "the word holds bytes that are no text in UTF-8")
            self._characters += len(word)
            self.words.append(word)
        self._source.check_bytes(self._characters, "the text of the words")

    def _lists(self, batch: pa.RecordBatch) -> NDArray[np.float32]:
        column = batch.column(self._columns.vectors[0])
        column = getattr(column, "storage", column)
        if column.null_count:
            self._refuse(_first_null(column), "a vector is expected, found null")
        sizes = column.value_lengths().to_numpy()
        dimension = int(sizes[0]) if self.matrix is None else self.matrix.dimension
        if not dimension:
            self._refuse(0, "the vector is empty")
        if (sizes != dimension).any():
            row = int(np.argmax(sizes != dimension))
            self._refuse(row, f"{counted(dimension, 'number')} expected, {sizes[row]:,} found")
        numbers = column.flatten()
        if numbers.null_count:
            row, place = divmod(_first_null(numbers), dimension)
            self._refuse(row, f"a number is expected at place {place + 1:,} of {dimension:,}, found null")
        return _float32(numbers).reshape(-1, dimension)

    def _wide(self, batch: pa.RecordBatch) -> NDArray[np.float32]:
        values = np.empty((len(batch), len(self._columns.vectors)), dtype=np.float32)
        for i, name in enumerate(self._columns.vectors):
            column = batch.column(name)
            if column.null_count:
                self._refuse(_first_null(column), f"a number is expected in the column {quoted(name)}, found null")
            values[:, i] = _float32(column)
        return values

    def _refuse(self, row: int, what: str) -> NoReturn:
        """Refuse a row of this batch, by its number in the file and, where that is known, its word."""
        row += self.count
        word = f" ({quoted(self.words[row])})" if row < len(self.words) else ""
        raise self._source.refusal(f"row {row + 1}{word}: {what}", "Repair or remove that row")


def _texts(column: pa.DictionaryArray) -> Iterator[str | None]:
    """(n,) the texts, each distinct one made once; None for bytes that are not UTF-8."""
    import pyarrow as pa

    used, positions = np.unique(column.indices.to_numpy(), return_inverse=True)
    texts = [_text(text) for text in column.dictionary.take(pa.array(used)).cast(pa.binary()).to_pylist()]
    return map(texts.__getitem__, positions.tolist())


def _text(content: bytes) -> str | None:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _float32(column: pa.Array) -> NDArray[np.float32]:
    """(n,) numbers without nulls; those too large for float32 become inf."""
    with np.errstate(over="ignore"):
        values: NDArray[np.float32] = column.to_numpy(zero_copy_only=False).astype(np.float32)
    return values


def _first_null(column: pa.Array) -> int:
    return int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))


@contextmanager
def _readable(source: Source) -> Iterator[None]:
    """Whatever goes wrong in the reader is the file's fault."""
    from pyarrow import ArrowException

    try:
        yield
    except EncryptedError:
        raise source.refusal("the Parquet file is encrypted", "Write it without encryption") from None
    except (ArrowException, OSError, ValueError, OverflowError, LookupError) as error:
        reason = printable(" ".join(str(error).split())[:_LONGEST_REASON].rstrip("."))
        raise source.refusal(f"the Parquet file is damaged or cut ({reason})", "Fetch or write it again") from None


LOADER = Loader(
    name="parquet",
    label="Parquet",
    description="A table with a column of words, or words as the pandas index, and vectors as lists in one column "
    "or in a column for each dimension.",
    extensions=(".parquet", ".pq", ".parq"),
    recognises=recognises,
    read=read,
)
