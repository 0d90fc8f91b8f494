"""Each stage as a formula, with the sizes at hand."""

from __future__ import annotations

from attention_core.attention.stages import PAIRS, Settings, Stage, Stages
from dashboard.two_vectors.draw import tex

SCORES = {
    "dot": r"S_{ij} = q_i \cdot k_j, \quad S = QK^\top",
    "cosine": r"S_{ij} = \frac{q_i \cdot k_j}{\lVert q_i \rVert \lVert k_j \rVert}",
    "euclidean": r"S_{ij} = -\tfrac{1}{2} \lVert q_i - k_j \rVert^2",
    "additive": r"S_{ij} = v^\top \tanh(W_1 q_i + W_2 k_j)",
}
"""By score; another one is written as a function s."""


def formula(found: Stages, stage: Stage) -> str:
    """The stage in LaTeX: what it is, and the sizes of what is multiplied."""
    if stage in PAIRS:
        return _of_pairs(found, stage)
    if stage in ("Q", "K", "V"):
        return _projected(found, stage)
    n, width = found.x.shape
    m, joined, out = found.q.shape[1], found.concatenated.shape[1], found.output.shape[1]
    heads = rf"A_1V_1 \;\cdots\; A_{{{found.settings.heads}}}V_{{{found.settings.heads}}}"
    whole = "AV" if found.settings.heads == 1 else f"[{heads}]"
    positions = (
        rf"P_{{p,2i}} = \sin(p \cdot 10000^{{-2i/{width}}}),\; P_{{p,2i+1}} = \cos(p \cdot 10000^{{-2i/{width}}})"
    )
    o, bias = found.projections.o, found.projections.o_bias
    last = whole if o is None else rf"{whole}\,W_O^\top" + ("" if bias is None else " + b_O")
    written = {
        "X": rf"X : {_size(n, width)}",
        "X + P": rf"{positions} : {_size(n, width)}",
        "A·V": rf"AV : {_product((m, n), (n, found.v.shape[2]))}",
        "joined": rf"[{heads}] : {_size(m, joined)}",
        "output": rf"{last} : {_size(m, out) if o is None else _product((m, joined), (joined, out))}",
    }
    return written[stage]


def _projected(found: Stages, stage: Stage) -> str:
    given = {"Q": found.q, "K": found.k, "V": found.v}[stage]
    rows, size, width = given.shape[1], given.shape[2], found.x.shape[1]
    source = "(X + P)" if found.settings.positions == "sinusoidal" else "X"
    bias = {"Q": found.projections.q_bias, "K": found.projections.k_bias, "V": found.projections.v_bias}[stage]
    product = rf"{source}\,W_{stage}^\top" + ("" if bias is None else f" + b_{stage}")
    if found.settings.positions == "rope" and stage != "V":
        product = rf"\mathrm{{RoPE}}\left({product}\right)"
    return rf"{stage} = {product} : {_product((rows, width), (width, size))}"


def _of_pairs(found: Stages, stage: Stage) -> str:
    (m, d), n, settings = found.q.shape[1:], found.k.shape[1], found.settings
    written = {
        "scores": rf"{SCORES.get(settings.score, r'S_{ij} = s(q_i, k_j)')} : {_product((m, d), (d, n))}",
        "scaled": rf"{_scale(settings, d)}\,S = {tex(settings.factor(d))}\,S : {_size(m, n)}",
        "masked": rf"S_{{ij}} \leftarrow -\infty \text{{ where masked}} : {_size(m, n)}",
        "softmax": rf"A_{{ij}} = \frac{{e^{{S_{{ij}}}}}}{{\sum_{{l=1}}^{{{n}}} e^{{S_{{il}}}}}} : {_size(m, n)}",
    }
    return written[stage]


def _scale(settings: Settings, d: int) -> str:
    dot = settings.score == "dot"
    root, size = rf"\frac{{1}}{{\sqrt{{{d}}}}}", rf"\frac{{1}}{{{d}}}"
    written = {"usual": root if dot else "1", "1/√d": root, "1": "1", "1/d": size}
    scale = written[settings.scale] if isinstance(settings.scale, str) else tex(settings.scale)
    return scale if settings.temperature == 1 else rf"{scale} \cdot \frac{{1}}{{{tex(settings.temperature)}}}"


def _size(rows: int, columns: int) -> str:
    return rf"{rows} \times {columns}"


def _product(left: tuple[int, int], right: tuple[int, int]) -> str:
    return rf"({_size(*left)})({_size(*right)}) \to {_size(left[0], right[1])}"
