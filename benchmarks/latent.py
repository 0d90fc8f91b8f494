"""Decoding through a latent: absorbed against naive expansion and against an expanded cache, and against the machine.

Run as `python -m benchmarks.latent`. Every time is the median of alternating runs of all contestants in this process,
so that a ratio compares what ran under the same load; targets are printed beside the ratios. The limits are measured in
the same rounds: bytes that must be read over the bandwidth of reading, operations over the rate of a square product.
What no form can undercut, the ratio of the limits, says how much of a target is the machine's to give.
Half precision is measured where the processor multiplies it (AMX).
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from attention_core.attention import LatentAttention, LatentConfig, scaled
from attention_core.attention.latent import FORMS, Form, costs
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


def limits(form: Form, tokens: int, times: dict[str, float], itemsize: int) -> float:
    """Prints both limits of a form, reading its numbers and multiplying them, and gives the larger, in milliseconds."""
    cost = costs(V3, tokens)[form]
    bandwidth, rate = 4 * READ / times["reading"], 2 * SQUARE**3 / times["product"]
    reading, computing = 1e3 * cost.moved * itemsize / bandwidth, 1e3 * cost.operations / rate
    print(
        f"  {form:<10}reads {cost.moved * itemsize / 1e6:.1f} MB at {bandwidth / 1e9:.1f} GB/s: {reading:.2f} ms, "
        f"computes {cost.operations / 1e9:.2f} GFLOP at {rate / 1e9:.0f} GFLOP/s: {computing:.2f} ms"
    )
    return max(reading, computing)


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
    least = {form: limits(form, tokens, times, dtype.itemsize) for form in ("absorbed", "expanded")}
    print(f"  absorbed {1e3 * times['absorbed'] / least['absorbed']:.2f} x the larger of its two   target <= 3")
    both = least["expanded"] / least["absorbed"]
    print(
        f"  expanded {1e3 * times['expanded'] / least['expanded']:.2f} x; at their limits it is {both:.1f} x absorbed"
    )
    held = {form: nbytes for form, (_, nbytes) in runs.items()}
    smaller = held["expanded"] / held["absorbed"]
    print(f"  cache {held['absorbed']:,} bytes, expanded {held['expanded']:,}: 1/{smaller:.1f}   target 1/71.1")
    crossing(attention, 3 * rounds)


def crossing(attention: LatentAttention, rounds: int) -> None:
    """Where the lines of the absorbed form and the expanded cache cross; what of the latter is attending alone.

    Both forms read W^UK and W^UV for a token: one to make its keys and values, the other to do without them.
    """
    config, slower = attention.config, {"expanded": 0, "attending alone": 0}
    for tokens in (16, 64, 128, 256, 512, 1024, 2048):
        two = contest(attention, tokens, ("expanded", "absorbed"))
        keys, values = attention.expanded(torch.randn(1, tokens, config.cached).to(attention.kv_b_proj.weight))
        q = keys[..., -1:, :].clone()
        attending = partial(scaled, q, keys, values, scale=config.scale)
        times = medians({**{form: run for form, (run, _) in two.items()}, "attending alone": attending}, rounds)
        print(
            f"  {tokens:>5} tokens   " + "   ".join(f"{form} {times[form] * 1e3:6.2f} ms" for form in times), flush=True
        )
        slower |= {form: tokens for form in slower if times[form] < times["absorbed"]}
    for form, tokens in slower.items():
        print(f"  {form}: the faster up to {tokens} tokens   target: at 256, and slower than absorbed further on")


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--tokens", type=int, default=4096)
    given = parser.parse_args()
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, 128 heads of 128 + 64, latent 512")
    amx = torch.cpu.get_capabilities().get("amx_bf16", False)
    for dtype in (torch.float32, *([torch.bfloat16] if amx else [])):
        report(dtype, given.tokens, given.rounds)


if __name__ == "__main__":
    main()
