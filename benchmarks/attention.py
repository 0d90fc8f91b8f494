"""Attention against torch: without weights, with weights, and tile by tile, in time and in memory.

Run as `python -m benchmarks.attention`. Every time is the median of alternating runs of all contestants in this
process, so that a ratio compares what ran under the same load; targets are printed beside the ratios. Peak memory is
what a process of its own holds at most beyond what it held before the call (Linux).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from attention_core.attention import AttentionOptions, Tiling, attend, online_softmax, scaled
from benchmarks.similarity import Contest, medians

ROOT = Path(__file__).resolve().parents[1]
SIZE = 64
MEMORY = """
import torch
from attention_core.attention import online_softmax

def held(kind):
    return 1024 * int(open("/proc/self/status").read().partition(f"{{kind}}:")[2].split()[0])

q, k, v = (torch.randn({heads}, {n}, 64) for _ in range(3))
plain = lambda q, k, v: torch.softmax(q * 64**-0.5 @ k.mT, dim=-1) @ v
fused = lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])
run = {{"plain": plain, "fused": fused, "tiled": online_softmax}}["{name}"]
run(*(t[:, :600] for t in (q, k, v)))  # what libraries keep for themselves
open("/proc/self/clear_refs", "w").write("5")  # sets the high-water mark back to what is held now
before = held("VmRSS")
run(q, k, v)
print(held("VmHWM") - before)
"""


def tensors(heads: int, n: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(1, heads, n, SIZE, generator=generator) for _ in range(3)]


def without_weights(heads: int, n: int, causal: bool) -> Contest:
    q, k, v = tensors(heads, n)
    options = AttentionOptions(causal=causal, need_weights=False)
    kernel = torch.nn.functional.scaled_dot_product_attention
    return {"torch": lambda: kernel(q, k, v, is_causal=causal), "attend": lambda: attend(q, k, v, options=options)}


def with_weights(heads: int, n: int, causal: bool) -> Contest:
    """The plainest correct torch code, whose mask is made beforehand, and this project, which makes it each time."""
    q, k, v = tensors(heads, n)
    later = torch.ones(n, n, dtype=torch.bool).triu(1)

    def plain() -> object:
        scores = q @ k.mT * SIZE**-0.5
        weights = torch.softmax(scores.masked_fill(later, -torch.inf) if causal else scores, dim=-1)
        return weights @ v, weights

    options = AttentionOptions(causal=causal)
    return {
        "torch": plain,
        "scaled": lambda: scaled(q, k, v, causal=causal),
        "attend": lambda: attend(q, k, v, options=options),
    }


def tiles(heads: int, n: int) -> Contest:
    q, k, v = tensors(heads, n)
    tiling = Tiling(trace="none")
    return {
        "torch": lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v),
        "online_softmax": lambda: online_softmax(q, k, v, tiling=tiling),
    }


def report(title: str, times: dict[str, float], target: float) -> None:
    figures = [f"{name} {seconds * 1e3:8.1f} ms ({seconds / times['torch']:.2f} x)" for name, seconds in times.items()]
    print(f"  {title:<28}{'   '.join(figures)}   target <= {target}", flush=True)


def peak(name: str, heads: int, n: int) -> int:
    """Bytes that a call allocates beyond its inputs, its output included."""
    command = [sys.executable, "-c", MEMORY.format(name=name, heads=heads, n=n)]
    return int(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--heads", type=int, default=4)
    given = parser.parse_args()
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {given.heads} heads of {SIZE}, float32")
    rules = {"unmasked": False, "causal": True}
    print("without weights, against torch's fused kernel")
    for n in (1024, 2048):
        for rule, causal in rules.items():
            times = medians(without_weights(given.heads, n, causal), 5 * given.rounds)
            report(f"n = {n:,}, {rule}", times, 1.05)
    print("with weights, against the plainest torch code")
    for n in (256, 1024, 2048):
        for rule, causal in rules.items():
            report(f"n = {n:,}, {rule}", medians(with_weights(given.heads, n, causal), 3 * given.rounds), 1.15)
    print("tile by tile, against torch's fused kernel")
    for n in (4096, 8192):
        report(f"n = {n:,}", medians(tiles(given.heads, n), given.rounds), 1.6)
    print("memory beyond the inputs, output included; target for the tiled form <= 64 MB")
    for n in (4096, 8192):
        for heads in (1, given.heads):
            found = {name: f"{peak(name, heads, n) / 1e6:.0f} MB" for name in ("plain", "fused", "tiled")}
            print(f"  n = {n:,}, heads {heads}: {found}", flush=True)


if __name__ == "__main__":
    main()
