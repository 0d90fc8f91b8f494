"""Sentences that say what a cache takes."""

from __future__ import annotations

from collections.abc import Mapping

import attention_core as ac
from attention_core.kv_cache.units import Family, format_bytes
from attention_core.plots.theme import number
from dashboard.cache_size.inputs import Asked
from dashboard.language import _, plural


def of_sizes(asked: Asked) -> str:
    """What each model holds, against the layout that it is compared with, and how many sequences fit."""
    if len(asked.sizes) == 1:
        [(name, s)] = asked.sizes.items()
        return f"{_held(name, s, asked.family)} {_against(s, asked.family)} {_fitting(asked, s)}"
    lines = "\n".join(f"- {_beside(asked, name, s)}" for name, s in asked.sizes.items())
    return f"{_shared(asked)}\n\n{lines}\n\n{_smallest(asked)}"


def _shared(asked: Asked) -> str:
    """What is asked of each of several models."""
    w = asked.workload
    told = plural(
        "For a sequence of {tokens:,} tokens, and in {room}{left}:",
        "For {batch:,} sequences of {tokens:,} tokens, and in {room}{left}:",
        w.batch,
    )
    left = _(" that the weights leave") if asked.weights else _(" that hold nothing else")
    return told.format(batch=w.batch, tokens=w.tokens, room=format_bytes(asked.room, "decimal"), left=left)


def _beside(asked: Asked, name: str, s: ac.kv_cache.CacheSizes) -> str:
    """One of several models, shortly."""
    other, layouts, family = compared_with(s), ac.kv_cache.LAYOUTS, asked.family
    told = _("**{model}** ({layout}) holds {total}, {each} per token, with room for {fitting:,}.")
    if s.bounded:
        told = _("**{model}** ({layout}) holds {total}, up to {each} per token, with room for {fitting:,}.")
    told = told.format(
        model=name,
        layout=layouts[s.own],
        total=format_bytes(s.total, family),
        each=format_bytes(s.per_token[s.own] or 0, family),
        fitting=s.fitting(asked.room),
    )
    count = s.bytes[other]
    if count is None:
        return told
    own, than = min(s.total, count), max(s.total, count)
    change = _("{share} less") if count < s.total else _("of which its own layout saves {share}")
    would = _("As MHA it would hold {count}, {change}, with room for {fitting:,}.")
    if other == "mla":
        would = _("Trained as MLA it would hold {count}, {change}, with room for {fitting:,}.")
    return f"{told} " + would.format(
        count=format_bytes(count, family),
        change=change.format(share=percent(1 - own / than)),
        fitting=s.fitting(asked.room, other),
    )


def _held(name: str, s: ac.kv_cache.CacheSizes, family: Family) -> str:
    each = s.per_token[s.own] or 0
    told = plural(
        "**{model}** ({layout}) holds {each} per token, {total} for a sequence of {tokens:,} tokens.",
        "**{model}** ({layout}) holds {each} per token, {total} for {batch:,} sequences of {tokens:,} tokens.",
        s.workload.batch,
    )
    if s.bounded:
        told = plural(
            "**{model}** ({layout}) holds up to {each} per token, less where windows are full: {total} for a sequence "
            "of {tokens:,} tokens.",
            "**{model}** ({layout}) holds up to {each} per token, less where windows are full: {total} for {batch:,} "
            "sequences of {tokens:,} tokens.",
            s.workload.batch,
        )
    return told.format(
        model=name,
        layout=ac.kv_cache.LAYOUTS[s.own],
        each=format_bytes(each, family),
        total=format_bytes(s.total, family),
        batch=s.workload.batch,
        tokens=s.workload.tokens,
    )


def compared_with(s: ac.kv_cache.CacheSizes) -> str:
    """The layout that a model is held against: MHA where it has MLA itself, else MLA."""
    return "mha" if s.own == "mla" else "mla"


def _against(s: ac.kv_cache.CacheSizes, family: Family) -> str:
    other = compared_with(s)
    count = s.bytes[other]
    if count is None:
        return _("As {layout} it is undefined: {why}.").format(layout=ac.kv_cache.LAYOUTS[other], why=s.why[other])
    if other == "mha":
        told = _("The same heads as MHA would hold {count}, {times} times as much: MLA saves {share} of that.")
        return told.format(
            count=format_bytes(count, family), times=number(count / s.total), share=percent(1 - s.total / count)
        )
    latent, rope = (part.size for part in s.layouts[other].parts)
    if count >= s.total:
        told = _(
            "Trained as MLA, with a latent of {latent} and a rotary key of {rope}, it would hold {count}, {times} "
            "times what it holds, and save nothing."
        )
        return told.format(latent=latent, rope=rope, count=format_bytes(count, family), times=number(count / s.total))
    told = _(
        "Trained as MLA, with a latent of {latent} and a rotary key of {rope}, it would hold {count} and save {saved}, "
        "{share} of what it holds ({times} times less)."
    )
    return told.format(
        latent=latent,
        rope=rope,
        count=format_bytes(count, family),
        saved=format_bytes(s.total - count, family),
        share=percent(1 - count / s.total),
        times=number(s.total / count),
    )


def percent(share: float) -> str:
    """A share in percent, with one more digit where it comes close to all.

    Example:
        >>> percent(0.71875), percent(0.98242), percent(0.9998)
        ('71.9 %', '98.24 %', '99.980 %')
    """
    decimals = 2 if 0.95 <= share < 0.999 else 3 if 0.999 <= share < 1 else 1
    return f"{100 * share:.{decimals}f} %"


def _fitting(asked: Asked, s: ac.kv_cache.CacheSizes) -> str:
    memory = format_bytes(asked.memory, "decimal")
    if not asked.room:
        return _("The weights take all of the {memory}, and no cache has room.").format(memory=memory)
    count, other = s.fitting(asked.room), compared_with(s)
    told = plural(
        "A memory of {memory} that holds nothing else has room for {count:,} such sequence",
        "A memory of {memory} that holds nothing else has room for {count:,} such sequences",
        count,
    )
    if asked.weights:
        told = plural(
            "The {room} that the weights leave of {memory} have room for {count:,} such sequence",
            "The {room} that the weights leave of {memory} have room for {count:,} such sequences",
            count,
        )
    told = told.format(memory=memory, room=format_bytes(asked.room, "decimal"), count=count)
    if s.bytes[other] is None:
        return f"{told}."
    return told + _("; as {layout} for {others:,}.").format(
        layout=ac.kv_cache.LAYOUTS[other], others=s.fitting(asked.room, other)
    )


def _smallest(asked: Asked) -> str:
    if len(asked.sizes) < 2:
        return ""
    ordered = sorted(asked.sizes.items(), key=lambda item: item[1].total)
    (least, small), (most, large) = ordered[0], ordered[-1]
    if small.total == large.total:
        return _("All models shown hold the same.")
    told = _("Of the models shown, {least} holds least ({small}) and {most} most ({large}, {times} times as much).")
    return told.format(
        least=least,
        small=format_bytes(small.total, asked.family),
        most=most,
        large=format_bytes(large.total, asked.family),
        times=number(large.total / small.total),
    )


def of_token(name: str, s: ac.kv_cache.CacheSizes) -> str:
    """What one token takes in a model with MLA, and would take as MHA."""
    mine, mha = s.per_token[s.own] or 0, s.per_token["mha"] or 0
    told = _("**{model}** holds {mine} per token; the same heads as MHA would hold {mha} ({times} times as much).")
    return told.format(model=name, mine=format_bytes(mine), mha=format_bytes(mha, decimals=2), times=number(mha / mine))


def alt_bars(found: Mapping[str, ac.kv_cache.CacheSizes], family: Family) -> str:
    """What the bars show, in words."""
    told = [
        f"{name}: "
        + ", ".join(
            f"{ac.kv_cache.LAYOUTS[layout]} {format_bytes(count, family, 1)}"
            for layout, count in s.bytes.items()
            if count is not None
        )
        for name, s in found.items()
    ]
    return _("Bars of the cache by layout. {models}").format(models="; ".join(told))


def alt_lines(asked: Asked) -> str:
    """What the lines show, in words."""
    return _("The cache against the context, on logarithmic axes, for {models}; dotted lines: {limits}").format(
        models=", ".join(asked.sizes), limits=", ".join([format_bytes(asked.memory, "decimal"), *asked.gpus])
    )


def of_shortcut(asked: Asked) -> str:
    """Where the shortcut departs, for each model."""
    told = []
    for name, s in asked.sizes.items():
        short = ac.kv_cache.shortcut(s.preset)
        layout = "mha"
        right = s.layouts[layout].numbers * s.preset.layers
        same = _("{model}: 2·d·L = {short:,} numbers per token, which is what its heads need as MHA.")
        other = _("{model}: 2·d·L = {short:,} numbers per token; as MHA its heads need {right:,} ({times} times).")
        told.append(
            (same if right == short.standard else other).format(
                model=name, short=short.standard, right=right, times=number(right / short.standard)
            )
        )
        if short.latent is not None and short.share is not None:
            kept = s.layouts["mla"].numbers
            of_mha = kept / s.layouts["mha"].numbers
            told.append(
                _(
                    "MLA counted by the latent alone: {latent:,} numbers, {share} of heads × size; with the rotary key "
                    "it is {kept:,}, {of_mha} of keys and values."
                ).format(
                    latent=short.latent,
                    share=percent(short.share),
                    kept=kept * s.preset.layers,
                    of_mha=percent(of_mha),
                )
            )
    return "\n".join(f"- {line}" for line in told)


def of_measured(found: Mapping[str, ac.kv_cache.Measured]) -> str:
    """Whether tensors and formula agree, and by what the process grew."""
    apart = [name for name, m in found.items() if m.counted != m.formula]
    told = (
        _("Tensors and formula differ for {models}.").format(models=", ".join(apart))
        if apart
        else _("Tensors and formula agree to the byte for {models}.").format(models=", ".join(found))
    )
    grew = sorted(m.grown / m.counted for m in found.values() if m.grown is not None)
    shares = list(dict.fromkeys(map(percent, grew)))
    if not shares:
        return told
    grown = shares[0] if len(shares) == 1 else _("{low} to {high}").format(low=shares[0], high=shares[-1])
    return told + _(
        " As they were made, the process grew by {grown} of what they take; what other readers of this server do "
        "counts too."
    ).format(grown=grown)


def of_sources(asked: Asked) -> str:
    """Which of the models' sizes were not read first-hand; "" where all were."""
    told = {
        "second-hand": _("second-hand, in a library that mirrors them or a derived model's copy, for {models}"),
        "inferred": _("in part inferred for {models}"),
    }
    models = {standing: [name for name, s in asked.sizes.items() if s.preset.standing == standing] for standing in told}
    parts = [told[standing].format(models=", ".join(names)) for standing, names in models.items() if names]
    if not parts:
        return ""
    return _("Sizes were read {parts}; where, stands under How this is computed.").format(parts="; ".join(parts))


def of_configuration(preset: ac.kv_cache.ModelPreset) -> str:
    """What was read of the reader's own model."""
    if preset.latent is not None:
        told = _("Read: {layers} layers, {heads} query heads, MLA with a latent of {rank} and a rotary key of {rope}.")
        return told.format(
            layers=preset.layers,
            heads=preset.heads,
            rank=preset.latent.kv_lora_rank,
            rope=preset.latent.qk_rope_head_dim,
        )
    return plural(
        "Read: {layers} layers, {heads} query heads, one key and value head of {size}, {layout}.",
        "Read: {layers} layers, {heads} query heads, {kv} key and value heads of {size}, {layout}.",
        preset.kv_heads,
    ).format(
        layers=preset.layers,
        heads=preset.heads,
        kv=preset.kv_heads,
        size=preset.qk_head_dim,
        layout=ac.kv_cache.LAYOUTS[ac.kv_cache.sizes(preset, 1).own],
    )
