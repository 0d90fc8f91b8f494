"""Decoding through a latent: absorbed against naive expansion and against an expanded cache, and against the machine.

Run as `python -m benchmarks.latent`. Every time is the median of alternating runs of all contestants in this process,
so that a ratio compares what ran under the same load; targets are printed beside the ratios. The limits are measured in
the same rounds: bytes that must be read over the bandwidth of reading, operations over the rate of a square product.
Half precision is measured where the processor multiplies it (AMX).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from attention_core import Compute
from attention_core.attention import LatentAttention, LatentConfig
from attention_core.attention.latent import FORMS, costs
from attention_core.attention.latent.timing import contest
from benchmarks.similarity import Contest, medians

V3 = LatentConfig(512, 128, 0, 512, 128, 64, 128)
"""The head shapes of DeepSeek-V3; what lies before the query and after the heads is the same in every form."""
SQUARE, READ = 2048, 1 << 26
"""Rows of the square product, and numbers that are read for the bandwidth."""


def machine(dtype: torch.dtype) -> Contest:
    """What the limits are taken from: a product of squares, and a sum over more than caches hold."""
    square = torch.randn(SQUARE, SQUARE).to(dtype)
    numbers = torch.ones(READ)
    return {"product": lambda: square @ square, "reading": lambda: numbers.sum()}


def against_the_machine(tokens: int, times: dict[str, float], itemsize: int) -> None:
    """The absorbed form beside the larger of its two limits."""
    cost = costs(V3, tokens)["absorbed"]
    bandwidth, rate = 4 * READ / times["reading"], 2 * SQUARE**3 / times["product"]
    reading, computing = 1e3 * cost.moved * itemsize / bandwidth, 1e3 * cost.operations / rate
    print(f"  reading {cost.moved * itemsize / 1e6:.1f} MB at {bandwidth / 1e9:.1f} GB/s: {reading:.2f} ms")
    print(f"  computing {cost.operations / 1e9:.2f} GFLOP at {rate / 1e9:.0f} GFLOP/s: {computing:.2f} ms")
    print(f"  absorbed {1e3 * times['absorbed'] / max(reading, computing):.2f} x the larger of the two   target <= 3")


@torch.no_grad()
def report(dtype: torch.dtype, tokens: int, rounds: int) -> None:
    """The three forms over one context, and two of them over shorter ones."""
    attention = LatentAttention(V3, dtype=dtype)
    runs = contest(attention, tokens, FORMS)
    times = medians({**{form: run for form, (run, _) in runs.items()}, **machine(dtype)}, rounds)
    print(f"one token over {tokens:,} cached ones, {str(dtype)[6:]}")
    for form, target in (("naive", 60), ("expanded", 5), ("absorbed", 1)):
        ratio = times[form] / times["absorbed"]
        print(f"  {form:<10}{times[form] * 1e3:>9.2f} ms   {ratio:7.1f} x absorbed   target >= {target}", flush=True)
    against_the_machine(tokens, times, dtype.itemsize)
    held = {form: nbytes for form, (_, nbytes) in runs.items()}
    smaller = held["expanded"] / held["absorbed"]
    print(f"  cache {held['absorbed']:,} bytes, expanded {held['expanded']:,}: 1/{smaller:.1f}   target 1/71.1")
    for shorter in (16, 64, 128, 256, 512, 1024, 2048):
        two = contest(attention, shorter, ("expanded", "absorbed"))
        times = medians({form: run for form, (run, _) in two.items()}, 5 * rounds)
        faster = min(times, key=times.__getitem__)
        figures = "   ".join(f"{form} {seconds * 1e3:6.2f} ms" for form, seconds in times.items())
        print(f"  {shorter:>5} tokens   {figures}   {faster} is the faster", flush=True)


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--tokens", type=int, default=4096)
    given = parser.parse_args()
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, 128 heads of 128 + 64, latent 512")
    for dtype in (torch.float32, *([torch.bfloat16] if Compute().multiplies_bfloat16 else [])):
        report(dtype, given.tokens, given.rounds)


if __name__ == "__main__":
    main()
