"""The three forms side by side on this machine: the same output, the bytes held, the time of a decoded token."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from attention_core.attention.latent.cache import ExpandedCache, LatentCache
from attention_core.attention.latent.config import LatentConfig
from attention_core.attention.latent.costs import FORMS, Form, costs
from attention_core.attention.latent.module import LatentAttention
from attention_core.attention.latent.room import ROOM, within_room
from attention_core.attention.scaled import scaled
from attention_core.compute import Compute
from attention_core.errors import AttentionError

Progress = Callable[[int, int], None]
ROUNDS = 5


@dataclass(frozen=True)
class Decoded:
    """One form at one context.

    Attributes:
        seconds: of a decoded token, the median over the rounds.
        nbytes: of its cache, counted from the tensors.
        difference: largest absolute difference of what the heads give from the naive form, relative to the largest
            value there.
    """

    seconds: float
    nbytes: int
    difference: float


@dataclass(frozen=True)
class Timing:
    """Decoding over caches of several lengths.

    Attributes:
        contexts: tokens in the cache.
        forms: for each form and context, None where it would not have fitted into memory.
        dtype: of all numbers.
        threads: of torch, on a CPU.
    """

    contexts: tuple[int, ...]
    forms: Mapping[Form, tuple[Decoded | None, ...]]
    dtype: str
    threads: int

    @property
    def crossing(self) -> tuple[int, int] | None:
        """The neighbouring contexts between which absorbed becomes, and stays, faster than the expanded cache.

        None where it is the faster or the slower one at every context measured with both.
        """
        both = [
            (n, a.seconds < e.seconds)
            for n, a, e in zip(self.contexts, self.forms["absorbed"], self.forms["expanded"], strict=True)
            if a is not None and e is not None
        ]
        slower = [i for i, (_, faster) in enumerate(both) if not faster]
        last = slower[-1] if slower else None
        return None if last is None or last + 1 == len(both) else (both[last][0], both[last + 1][0])


def needed(config: LatentConfig, tokens: int, itemsize: int) -> dict[Form, int]:
    """Bytes that each form takes at least: its cache, and what it makes of it for one token."""
    latents, expanded = tokens * config.cached, tokens * config.expanded
    made = tokens * config.num_heads * (config.qk_nope_head_dim + config.v_head_dim)
    sizes: dict[Form, int] = {"naive": latents + made + expanded, "expanded": expanded, "absorbed": latents}
    return {form: size * itemsize for form, size in sizes.items()}


def decode_times(
    config: LatentConfig,
    contexts: Sequence[int],
    dtype: torch.dtype = torch.float32,
    rounds: int = ROUNDS,
    device: str = "cpu",
    progress: Progress | None = None,
) -> Timing:
    """Times each form over caches of random latents, in turns, from query and latent to what the heads give.

    Weights are random; time does not depend on them. Forms that would take more than `ROOM` bytes are left out.

    Args:
        config: the sizes; hidden_size and q_lora_rank play no part.
        contexts: tokens that the cache holds, the decoded one included.
        dtype: of caches and weights.
        rounds: the median of so many is taken.
        device: where they are.
        progress: called with (done, total); it may raise to stop.

    Raises:
        AttentionError: no context, one below 1, no form that fits at the longest, or matrices that do not fit.
        ComputeError: a device that this machine lacks.
    """
    if not contexts or min(contexts) < 1 or rounds < 1:
        raise AttentionError(
            f"Contexts {list(contexts)} and {rounds} rounds were given. Give at least one of both, each 1 or more."
        )
    Compute(device)
    itemsize = torch.empty(0, dtype=dtype).element_size()
    least = needed(config, max(contexts), itemsize)["absorbed"]
    within_room(least, f"A cache of {max(contexts):,} tokens", "Choose a shorter context or smaller sizes.")
    matrices = costs(config, 1)["absorbed"].moved * itemsize
    within_room(4 * matrices, "The matrices of a layer of these sizes", "Choose smaller sizes.")
    small = LatentConfig(
        config.kv_lora_rank, config.num_heads, 0, config.kv_lora_rank, config.qk_nope_head_dim,
        config.qk_rope_head_dim, config.v_head_dim,
    )  # fmt: skip
    attention = LatentAttention(small, dtype=dtype).to(device)
    found: dict[Form, list[Decoded | None]] = {form: [] for form in FORMS}
    for i, tokens in enumerate(contexts):
        fitting = [form for form, size in needed(config, tokens, itemsize).items() if size <= ROOM]
        tell = partial(_tell, progress, i, len(contexts))
        at = _decoded(attention, tokens, fitting, rounds, tell)
        for form in FORMS:
            found[form].append(at.get(form))
    return Timing(
        tuple(contexts), {form: tuple(of) for form, of in found.items()}, str(dtype)[6:], torch.get_num_threads()
    )


def _tell(progress: Progress | None, context: int, contexts: int, done: float) -> None:
    if progress is not None:
        progress(int(1000 * (context + done)), 1000 * contexts)


def contest(
    attention: LatentAttention, tokens: int, forms: Sequence[Form]
) -> dict[Form, tuple[Callable[[], Tensor], int]]:
    """For each form, what decodes one token over a filled cache, and the bytes of that cache."""
    config, generator = attention.config, torch.Generator().manual_seed(0)
    like = attention.kv_b_proj.weight
    rows, q = (
        torch.randn(shape, generator=generator).to(like)
        for shape in ((1, tokens, config.cached), (1, config.num_heads, 1, config.qk_head_dim))
    )
    latents = LatentCache(config, 1, tokens, like)
    latents.append(rows)
    attention.absorb()
    new = rows[:, -1:]

    def naive() -> Tensor:
        return scaled(q, *attention.expanded(latents.rows), scale=config.scale).output

    def absorbed() -> Tensor:
        return attention.absorbed(q, latents.rows).output

    found: dict[Form, tuple[Callable[[], Tensor], int]] = {
        "naive": (naive, latents.nbytes),
        "absorbed": (absorbed, latents.nbytes),
    }
    if "expanded" in forms:
        cache = ExpandedCache(config, 1, tokens, like)
        for start in range(0, tokens, 256):  # in blocks: all at once would take the memory twice
            cache.append(*attention.expanded(rows[:, start : start + 256]))

        def expanded() -> Tensor:
            cache.length -= 1
            cache.append(*attention.expanded(new))
            return scaled(q, cache.keys, cache.values, scale=config.scale).output

        found["expanded"] = (expanded, cache.nbytes)
    return {form: found[form] for form in FORMS if form in forms}


@torch.no_grad()
def _decoded(
    attention: LatentAttention, tokens: int, forms: Sequence[Form], rounds: int, tell: Callable[[float], None]
) -> dict[Form, Decoded]:
    runs = contest(attention, tokens, forms)
    outputs: dict[Form, Tensor] = {}
    times: dict[Form, list[float]] = {form: [] for form in runs}
    for done in range(rounds + 1):
        for form, (run, _) in runs.items():
            tell(done / (rounds + 1))
            start = time.perf_counter()
            outputs[form] = run()
            if outputs[form].is_cuda:
                torch.cuda.synchronize(outputs[form].device)
            times[form].append(time.perf_counter() - start)
    reference = outputs.get("naive", outputs["absorbed"]).double()
    largest = float(reference.abs().max())
    return {
        form: Decoded(
            statistics.median(times[form][1:]),  # the first warms up
            nbytes,
            float((outputs[form].double() - reference).abs().max()) / largest,
        )
        for form, (_, nbytes) in runs.items()
    }
