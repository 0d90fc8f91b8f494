"""The KV cache: how long all presets take to size, and tensors beside the formula.

Run as `python -m benchmarks.kv_cache`; targets are printed beside the figures.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from attention_core.kv_cache import PRESETS, Allocation, format_bytes, measure, sizes

MODELS = {preset.name: preset for preset in PRESETS.values()}
MEASURED = ("DeepSeek-V3", "Qwen2.5-72B", "Gemma-3-27B", "GPT-2 small")


def all_presets(tokens: int) -> float:
    """Milliseconds for every preset under every layout, anew for each number of tokens."""
    started = time.perf_counter()
    for preset in MODELS.values():
        assert sizes(preset, tokens, 20).bytes
    return (time.perf_counter() - started) * 1e3


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--tokens", type=int, default=1024)
    given = parser.parse_args()
    first, *others = [all_presets(32_768 + i) for i in range(given.rounds + 1)]
    middle = sorted(others)[len(others) // 2]
    print(f"all {len(MODELS)} presets: first {first:.2f} ms, then {middle:.2f} ms   target < 10 ms")
    print(f"tensors for one sequence of {given.tokens:,} tokens; target: equal to the byte")
    for name in MODELS:
        if name in MEASURED:
            m = measure(MODELS[name], given.tokens, allocation=Allocation(limit=64 << 20))
            grown = "unknown" if m.grown is None else format_bytes(max(0, m.grown))
            print(
                f"  {name:<14}{m.layers:>3} of {m.sizes.preset.layers} layers: {m.counted:,} in tensors, {m.formula:,} "
                f"by the formula ({'equal' if m.counted == m.formula else 'DIFFERENT'}); process grew by {grown}; "
                f"filled in {m.seconds:.2f} s"
            )


if __name__ == "__main__":
    main()
