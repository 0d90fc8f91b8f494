"""What attention costs, measured beside the pages: by one thread for all readers, since each would slow the others."""

from __future__ import annotations

import threading

import attention_core as ac
from attention_core.experiments.cost import LENGTHS, Cost


class Stopped(Exception):  # noqa: N818 - nothing is wrong: a reader asked for it
    """The measuring was stopped."""


class Measuring:
    """One measurement of all lengths, from the shortest on.

    Attributes:
        found: what is measured so far.
        share: how much is done, from 0 to 1.
        refused: why it ended early; None where it did not, or was stopped.
        stopped: set, ends it within a moment.
    """

    def __init__(self) -> None:
        self.found: list[Cost] = []
        self.share = 0.0
        self.refused: ac.AttentionCoreError | None = None
        self.stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            for n in LENGTHS:
                self.found.append(ac.experiments.cost(n, self.found[-1] if self.found else None, self._report))
        except Stopped:
            return
        except ac.AttentionCoreError as error:
            self.refused = error

    def _report(self, done: int, total: int) -> None:
        if self.stopped.is_set():
            raise Stopped
        self.share = (len(self.found) + done / total) / len(LENGTHS)

    def running(self, patience: float = 0.0) -> bool:
        """Whether it goes on, also after so many seconds."""
        self._thread.join(patience)
        return self._thread.is_alive()


class Measurements:
    """The last measurement, which all readers see; the first begins at once."""

    def __init__(self) -> None:
        self._lock, self.last = threading.Lock(), Measuring()

    def again(self) -> None:
        """Measures anew, unless a measurement is going on."""
        with self._lock:
            if not self.last.running():
                self.last = Measuring()
