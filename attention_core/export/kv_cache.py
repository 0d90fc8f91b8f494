"""The sizes of KV caches as tables, and Python that computes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from attention_core.export.table import table_csv
from attention_core.kv_cache.layouts import LAYOUTS
from attention_core.kv_cache.measured import Measured
from attention_core.kv_cache.presets import ModelPreset
from attention_core.kv_cache.sizes import CacheSizes, Workload
from attention_core.kv_cache.units import UNITS


def sizes_table(found: Mapping[str, CacheSizes], memory: int) -> pd.DataFrame:
    """One row for each model and layout.

    Args:
        found: by the model's name.
        memory: bytes that are left for the cache.

    Returns:
        `model`, `layout`, `own` (whether it is the model's), `numbers` (for one token in one layer), `bytes per token`,
        `bytes`, `GiB`, `GB`, `times own` (this layout over the model's own), `own saves` (what the model's own layout
        saves of this one) and `would save` (what this layout would save of the model's own; negative where it takes
        more), `sequences` that have room in the memory, and the `longest` context of each of the batch; empty where the
        layout does not exist.
    """
    rows = []
    for name, s in found.items():
        for layout, total in s.bytes.items():
            row = {"model": name, "layout": LAYOUTS[layout], "own": layout == s.own}
            rows.append(row | ({} if total is None else _figures(s, layout, total, memory)))
    return pd.DataFrame(rows)


def _figures(s: CacheSizes, layout: str, total: int, memory: int) -> dict[str, object]:
    return {
        "numbers": s.layouts[layout].numbers,
        "bytes per token": s.per_token[layout],
        "bytes": total,
        "GiB": total / UNITS["GiB"],
        "GB": total / UNITS["GB"],
        "times own": total / s.total,
        "own saves": 1 - s.total / total,
        "would save": 1 - total / s.total,
        "sequences": s.fitting(memory, layout),
        "longest": s.longest(memory, layout),
    }


def presets_table(presets: Mapping[str, ModelPreset], workload: Workload) -> pd.DataFrame:
    """One row for each model: its attention, its cache for a workload in its own layout and as MLA, and its source."""
    rows = []
    for name, preset in presets.items():
        s = CacheSizes(preset, workload)
        windows = sorted(window for window in preset.window_counts if window is not None)
        rows.append(
            {
                "model": name,
                "own layout": LAYOUTS[s.own],
                "layers": preset.layers,
                "layers with a window": preset.layers - preset.window_counts[None],
                "window": windows[0] if windows else None,
                "query heads": preset.heads,
                "key and value heads": None if preset.latent else preset.kv_heads,
                "bytes per token": s.per_token[s.own],
                "bytes": s.total,
                "GiB": s.total / UNITS["GiB"],
                "bytes as MLA": s.bytes["mla"],
                "standing": preset.standing,
                "source": preset.source,
                "note": preset.note,
            }
        )
    return pd.DataFrame(rows)


def measured_table(found: Mapping[str, Measured]) -> pd.DataFrame:
    """One row for each model: bytes counted in tensors, those of the formula, and by what the process grew.

    Returns:
        `model`, `layout`, `layers` (“2 of 80”), `tokens`, `bytes in tensors`, `bytes by the formula`, their
        `difference`, and `growth`, in bytes, of the process or of torch's allocator on a GPU.
    """
    return pd.DataFrame(
        {
            "model": name,
            "layout": LAYOUTS[m.layout],
            "layers": f"{m.layers} of {m.sizes.preset.layers}",
            "tokens": m.sizes.workload.tokens,
            "bytes in tensors": m.counted,
            "bytes by the formula": m.formula,
            "difference": m.counted - m.formula,
            "growth": m.grown,
        }
        for name, m in found.items()
    )


def sizes_csv(found: Mapping[str, CacheSizes], memory: int) -> bytes:
    """The rows of `sizes_table` with the workload and where each model's numbers were read."""
    table = sizes_table(found, memory)
    first = next(iter(found.values())).workload
    table["standing"] = [found[name].preset.standing for name in table["model"]]
    table["source of the model"] = [found[name].preset.source for name in table["model"]]
    settings = {"tokens": str(first.tokens), "batch": str(first.batch), "dtype": first.dtype, "memory": str(memory)}
    return table_csv(table, None, settings)


def sizes_code(names: Sequence[str], own: bool, workload: Workload) -> str:
    """Python that computes the sizes.

    Args:
        names: keys of `PRESETS`.
        own: whether the reader's own configuration is among the models.
        workload: tokens, sequences and the format.
    """
    lines = ["import attention_core as ac", "", f"presets = [ac.kv_cache.PRESETS[name] for name in {list(names)!r}]"]
    if own:
        lines.append('presets.append(ac.kv_cache.read_config("config.json").preset)')
    lines += [
        "for preset in presets:",
        f"    s = ac.kv_cache.sizes(preset, {workload.tokens}, batch={workload.batch}, dtype={workload.dtype!r})",
        "    print(preset.name, s.own, ac.kv_cache.format_bytes(s.total))",
        "    for layout, count in s.bytes.items():",
        "        print(layout, s.why[layout] if count is None else ac.kv_cache.format_bytes(count))",
    ]
    return "\n".join(lines)
