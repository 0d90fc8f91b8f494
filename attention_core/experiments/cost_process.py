"""The process that `cost` starts: settings come in as JSON; after each run a line of JSON goes out."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from attention_core.attention import AttentionOptions, Tiling, attend, online_softmax, scaled

SIZE = 64
"""Components of a head."""
FORMS: dict[str, Callable[[Tensor, Tensor, Tensor], object]] = {
    "full": scaled,
    "tiled": lambda q, k, v: online_softmax(q, k, v, tiling=Tiling(trace="none")),
    "fused": lambda q, k, v: attend(q, k, v, options=AttentionOptions(need_weights=False)),
}
"""The plain form, which makes the (n, n) matrix; tiles of 512 keys; and torch's kernel."""
STATUS, MARK = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def end_with_input() -> None:
    """Ends this process when its standard input ends, as it does when the one that started it is gone."""
    os.read(0, 1)  # not through sys.stdin, whose lock would be missed at the end
    os._exit(1)


def held(kind: str) -> int:
    """Bytes of memory that Linux's status of this process tells."""
    return 1024 * int(STATUS.read_text().partition(f"{kind}:")[2].split()[0])


def peak(run: Callable[[], object]) -> int | None:
    """Bytes held at most during the run beyond what was held before; None where the system does not tell."""
    try:
        MARK.write_text("5")  # sets the high-water mark back to what is held now
        before = held("VmRSS")
    except (OSError, IndexError):
        run()
        return None
    run()
    return max(0, held("VmHWM") - before)


def main() -> None:
    """Runs every form once for its memory, and then all in turn for their time."""
    threading.Thread(target=end_with_input, daemon=True).start()
    torch.set_num_threads(1)
    settings = json.loads(sys.argv[1])
    n, forms = settings["n"], settings["forms"]
    generator = torch.Generator().manual_seed(0)
    tensors = [torch.randn(1, 1, n, SIZE, generator=generator) for _ in range(3)]
    for name in forms:
        FORMS[name](*(tensor[:, :, :16] for tensor in tensors))  # what libraries keep for themselves
    for name in forms:
        print(json.dumps({"form": name, "peak": peak(partial(FORMS[name], *tensors))}))
    for _ in range(settings["rounds"]):
        for name in forms:
            started = time.perf_counter()
            FORMS[name](*tensors)
            print(json.dumps({"form": name, "seconds": time.perf_counter() - started}))


if __name__ == "__main__":
    main()
