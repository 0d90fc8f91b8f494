"""A matrix that grows row by row, under the limits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_core.loaders.base.source import Source


class GrowingMatrix:
    """(n, d) float32 rows in one piece of memory, enlarged in place, so that no second copy is ever held.

    The limits of the source are checked before each growth. Room for the `likely` number of rows, as far as the limits
    allow, is quicker than growing, and takes no memory before the rows are there.
    """

    def __init__(self, dimension: int, source: Source, likely: int = 0) -> None:
        source.check_shape(1, dimension)
        self._source, self._count = source, 0
        room = min(likely, source.limits.rows, source.limits.bytes // (4 * dimension))
        self._rows = np.empty((room, dimension), dtype=np.float32)

    def __len__(self) -> int:
        return self._count

    @property
    def dimension(self) -> int:
        """d, the number of components of each row."""
        return self._rows.shape[1]

    def append(self, rows: NDArray[np.float32]) -> None:
        """Add (m, d) rows at the end.

        Raises:
            EmbeddingsError: more rows or bytes than the limits allow.
        """
        end = self._count + len(rows)
        self._source.check_shape(end, self.dimension)
        if end > len(self._rows):
            # refcheck: no view of the rows leaves this object before `finished`.
            self._rows.resize((max(end, len(self._rows) * 5 // 4), self.dimension), refcheck=False)
        self._rows[self._count : end] = rows
        self._count = end

    def finished(self) -> NDArray[np.float32]:
        """The (n, d) rows; nothing may be added afterwards."""
        self._rows.resize((self._count, self._rows.shape[1]), refcheck=False)
        return self._rows
