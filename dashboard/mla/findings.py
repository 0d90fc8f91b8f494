"""Sentences about MLA, each from its figures."""

from __future__ import annotations

import attention_core as ac
from attention_core.attention import latent
from attention_core.plots.theme import number, percent
from dashboard.language import _, plural
from dashboard.mla.inputs import Asked

OFF = 0.1
"""The error of attention at which the card reads off the size of the latent."""


def size(count: int) -> str:
    """Bytes in the binary unit that fits, to a tenth.

    Example:
        >>> size(70272), size(1152)
        ('68.6 KiB', '1.1 KiB')
    """
    return ac.kv_cache.format_bytes(count, decimals=1)


def of_cache(asked: Asked) -> str:
    """What a token keeps in a layer and in all, beside the keys and values of all heads."""
    config = asked.config
    ratio = config.expanded / config.cached
    return _(
        "**{name}** keeps {cached:,} numbers for a token and layer, a latent of {rank} and one rotary key of {rope}; "
        "the keys and values of its {heads} heads would be {expanded:,}, {ratio} times as many. In {dtype}, "
        "{tokens:,} tokens take {small} over {layers} layers instead of {large}."
    ).format(
        name=asked.name,
        cached=config.cached,
        rank=config.kv_lora_rank,
        rope=config.qk_rope_head_dim,
        heads=config.num_heads,
        expanded=config.expanded,
        ratio=number(ratio),
        dtype=asked.dtype,
        tokens=asked.tokens,
        small=size(asked.tokens * asked.layers * config.cached * asked.itemsize),
        layers=asked.layers,
        large=size(asked.tokens * asked.layers * config.expanded * asked.itemsize),
    )


def notes(asked: Asked) -> str:
    """How the diagram is read, where the sizes are from, and what the cache holds besides."""
    found = [_("Filled: cached. Dotted: what the absorbed form never makes. ↻ turned by RoPE.")]
    if asked.source:
        told = {
            "first-hand": _("Sizes: {source}."),
            "second-hand": _("Sizes, read second-hand: {source}."),
            "inferred": _("Sizes, partly inferred: {source}."),
        }[asked.standing]
        found.append(told.format(source=asked.source))
    if asked.indexer:
        found.append(
            _("Its sparse attention keeps {n} bytes more for a token and layer, for the indexer.").format(
                n=asked.indexer
            )
        )
    return " ".join(found)


def alt_flow(asked: Asked) -> str:
    """What the diagram shows."""
    config = asked.config
    first = (
        _("h ({hidden:,}) to c^Q ({q:,}) to queries").format(hidden=config.hidden_size, q=config.q_lora_rank or 0)
        if config.q_lora_rank
        else _("h ({hidden:,}) to queries").format(hidden=config.hidden_size)
    )
    return _(
        "{first} of {heads} × ({nope} + {rope}); h to the latent c ({rank}) and one rotary key ({rope}), which are "
        "cached: {cached} numbers; queries attend to the cache itself, and W^UV and W^O make the output."
    ).format(
        first=first,
        heads=config.num_heads,
        nope=config.qk_nope_head_dim,
        rope=config.qk_rope_head_dim,
        rank=config.kv_lora_rank,
        cached=config.cached,
    )


def of_forms(found: latent.SideBySide, config: ac.attention.LatentConfig, tokens: int) -> str:
    """How far the three forms lie apart, and what the absorbed one saves."""
    largest = max(found.differences.values())
    costs = latent.costs(config, tokens)
    naive, absorbed, expanded = (costs[form].operations for form in ("naive", "absorbed", "expanded"))
    return _(
        "Decoded token after token, the three forms differ by at most {difference} from the output of all {n} tokens "
        "at once, whose largest value is {largest}. Over {tokens:,} cached tokens the absorbed form takes {naive} "
        "times fewer operations than the naive one, and {expanded} times as many as the expanded cache, which holds "
        "{ratio} times as much."
    ).format(
        difference=number(largest, 2),
        n=found.tokens,
        largest=number(found.largest),
        tokens=tokens,
        naive=number(naive / absorbed),
        expanded=number(absorbed / expanded),
        ratio=number(config.expanded / config.cached),
    )


def of_times(timing: latent.Timing) -> str:
    """Which form is the fastest where, as measured."""
    at = [
        (n, {form: of[i] for form, of in timing.forms.items() if of[i] is not None})
        for i, n in enumerate(timing.contexts)
    ]
    n, last = next((n, found) for n, found in reversed(at) if "absorbed" in found and len(found) > 1)
    own = last["absorbed"]
    assert own is not None  # noqa: S101 - chosen so
    others = [
        _("{form} {times} times").format(form=_(form), times=number(one.seconds / own.seconds))
        for form, one in last.items()
        if form != "absorbed" and one is not None
    ]
    sentence = _(
        "On this machine a token over {n:,} cached ones takes {ms} ms in the absorbed form; {others} that."
    ).format(n=n, ms=number(1e3 * own.seconds), others=_(" and ").join(others))
    if timing.crossing is not None:
        low, high = timing.crossing
        return (
            sentence
            + " "
            + _("Up to {low:,} tokens the expanded cache is faster, from {high:,} on the absorbed form.").format(
                low=low, high=high
            )
        )
    return sentence


def of_low_rank(found: latent.LowRank, rank: int) -> str:
    """What attention loses at the chosen size, and what the cache saves."""
    place = found.ranks.index(rank)
    weights, vectors = (found.attended[way][place] for way in ("weights", "vectors"))
    return plural(
        "A latent of {r} numbers in place of {kept} for keys and values makes the cache {ratio} times smaller. "
        "Attention over one sentence ({tokens} tokens) is then off by {weights} when the latent is chosen by the "
        "weights alone, and by {vectors} when it is fitted to these vectors.",
        "A latent of {r} numbers in place of {kept} for keys and values makes the cache {ratio} times smaller. "
        "Attention over {sentences} sentences ({tokens} tokens) is then off by {weights} when the latent is chosen by "
        "the weights alone, and by {vectors} when it is fitted to these vectors.",
        found.sentences,
    ).format(
        r=rank,
        kept=found.kept,
        ratio=number(found.kept / rank),
        sentences=found.sentences,
        tokens=found.tokens,
        weights=percent(weights),
        vectors=percent(vectors),
    )


def moved(found: latent.LowRank, rank: int) -> str:
    """What becomes of the weights and of keys and values themselves."""
    place = found.ranks.index(rank)
    return _(
        "At r = {r}, fitted to these vectors: {moved} of a token's attention lies on other tokens than before; keys "
        "and values of {n:,} vectors are off by {projected}."
    ).format(
        r=rank,
        moved=percent(found.moved["vectors"][place]),
        n=found.vectors,
        projected=percent(found.projected["vectors"][place]),
    )


def of_card(found: latent.LowRank) -> str:
    """The smallest latent of these vectors whose attention is off by a tenth."""
    rank = found.smallest("vectors", OFF)
    if rank is None:
        return _("No latent smaller than the vectors keeps attention within {off} here.").format(off=percent(OFF))
    return _(
        "Seen through random weights, keys and values of {n:,} of these vectors, {kept} numbers each, pass through a "
        "latent of {r} with attention off by at most {off}: a cache {ratio} times smaller."
    ).format(n=found.vectors, kept=found.kept, r=rank, off=percent(OFF), ratio=number(found.kept / rank))


def alt_low_rank(found: latent.LowRank) -> str:
    """The error at the ends and in the middle."""
    middle = len(found.ranks) // 2
    parts = [
        _("{way}: {first} at {r1}, {mid} at {r2}, {last} at {r3}").format(
            way=_(way),
            first=number(errors[0]),
            r1=found.ranks[0],
            mid=number(errors[middle]),
            r2=found.ranks[middle],
            last=number(errors[-1]),
            r3=found.ranks[-1],
        )
        for way, errors in found.attended.items()
    ]
    return _("Error of attention against the size of the latent; {parts}").format(parts="; ".join(parts))


def of_folding(found: latent.Commuting) -> str:
    """What folding costs without position, with a turn in between, and with a key of its own."""
    worst = {way: max(errors) for way, errors in found.errors.items()}
    return _(
        "Folded into the query, the matrix that makes keys of latents gives the same scores without positions (off by "
        "{plain}) and with a rotary key beside (off by {separate}). With the turn between query and key, scores "
        "{distance:,} tokens apart are off by {between} of their size: turn and matrix do not commute, R·W and W·R′ "
        "differ by {commutator} of W."
    ).format(
        plain=number(worst["no position"], 2),
        separate=number(worst["separate key"], 2),
        between=percent(found.errors["turned between"][-1]),
        distance=found.distances[-1],
        commutator=percent(found.commutator[-1]),
    )
