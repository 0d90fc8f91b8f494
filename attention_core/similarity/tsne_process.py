"""The process that `tsne` starts: vectors come in as .npy, settings as JSON; points go out, progress on stderr.

It imports nothing of the project, so that it starts quickly wherever it is run.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from contextlib import redirect_stdout

import numpy as np
from sklearn.manifold import TSNE


def end_with(parent: int) -> None:
    """Ends this process soon after the one that started it is gone, which then could not stop it any more."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def main() -> None:
    """Reads, computes, writes."""
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    vectors = np.load(sys.stdin.buffer, allow_pickle=False)
    with redirect_stdout(sys.stderr):
        points = TSNE(**json.loads(sys.argv[1]), verbose=2).fit_transform(vectors)
    if not np.isfinite(points).all():
        sys.exit("its points are not finite")
    np.save(sys.stdout.buffer, points)


if __name__ == "__main__":
    main()
