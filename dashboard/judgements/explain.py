"""How Human judgements is computed: formulas with the numbers at hand, conventions and sources."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.plots.theme import number
from attention_core.similarity.arithmetic import EPSILON
from attention_core.similarity.bootstrap import RESAMPLES
from attention_core.similarity.retrieval import DEPTH
from dashboard.language import _


def judgements(found: ac.Judgements) -> None:
    """Spearman's rho, its interval, and what counts as a pair."""
    st.latex(r"\rho = \operatorname{corr}(\operatorname{rank}(\text{people}),\ \operatorname{rank}(\text{closeness}))")
    parts = [
        f"{_(ac.MEASURES[name].label)}: ρ = {number(judged.rho, 6)}"
        for name, judged in found.items()
        if judged.rho is not None
    ]
    if parts:
        st.markdown(_("Here, {parts}.").format(parts="; ".join(parts)))
    st.markdown(
        _(
            "Spearman's rank correlation (1904), average ranks for ties; scores that agree to 12 significant digits "
            "tie. A distance counts as closeness with its sign turned. The first word of a pair is the query, which "
            "only the additive score tells from the second. A word is looked up as it is written, then in lower case."
        )
    )
    st.markdown(
        _(
            "Intervals: the central 95 % over {n} resamples of the pairs with replacement (percentile bootstrap, "
            "Efron 1979; seed 0). All measures are compared on the same resamples, so a difference has its own "
            "interval, narrower than the two intervals suggest: no difference can be told where it holds 0. Several "
            "differences are shown, and none is corrected for that."
        ).format(n=f"{RESAMPLES:,}")
    )


def analogies() -> None:
    """The four methods and how answers are counted."""
    st.latex(
        r"\begin{aligned}"
        r"\text{3CosAdd}:\ &\arg\max_x\ \cos(x,b)-\cos(x,a)+\cos(x,c) \\"
        r"\text{3CosMul}:\ &\arg\max_x\ \frac{\cos'(x,b)\,\cos'(x,c)}{\cos'(x,a)+\varepsilon},"
        r"\quad \cos'=\tfrac{1+\cos}{2} \\"
        r"\text{dot product}:\ &\arg\max_x\ x\cdot(b-a+c) \\"
        r"\text{Euclidean}:\ &\arg\min_x\ \lVert x-(b-a+c)\rVert"
        r"\end{aligned}"
    )
    st.markdown(
        _(
            "3CosAdd: Mikolov, Yih and Zweig (2013). 3CosMul: Levy and Goldberg (2014), equation 4, ε = {epsilon}. "
            "The last two take the vectors as they are, with their lengths. All words of the vectors are candidates, "
            "in float64; of equal scores the first in the file wins, and zero vectors never answer."
        ).format(epsilon=EPSILON)
    )
    st.markdown(
        _(
            "The usual score leaves a question's own words a, b and c out of the answers; the hollow marks show what "
            "happens without this help (Linzen 2016). Intervals are Wilson's (1927) for a share. A question is "
            "covered when all four words are among the vectors, as written or in lower case. Word pairs of one "
            "relation become questions in both orders: n pairs give n(n − 1)."
        )
    )


def retrieval(found: ac.Retrieval) -> None:
    """The three metrics, and what counts as a query."""
    st.latex(
        r"\text{nDCG@}k=\frac{\sum_{r\le k} g_r/\log_2(r+1)}{\sum_{r\le k} g^{*}_r/\log_2(r+1)}\qquad"
        r"\text{recall@}k=\frac{\lvert\text{relevant}\cap\text{top }k\rvert}{\lvert\text{relevant}\rvert}\qquad"
        r"\text{MRR}=\operatorname{mean}\frac{1}{\text{rank of the first}}"
    )
    st.markdown(
        _(
            "Here k = {k} and {n} queries. Each query is ranked against all other words, exactly. The gain g is the "
            "third column, or 1; g* are the gains in their best order (Järvelin and Kekäläinen 2002). The first "
            "relevant item is looked for among {depth} ranks and counts 0 beyond, which costs less than {lost} of "
            "the mean reciprocal rank."
        ).format(k=found.k, n=f"{len(found.queries):,}", depth=max(DEPTH, found.k), lost=number(1 / DEPTH, 1))
    )
    st.markdown(
        _(
            "Relevant items that are not among the vectors cannot be found and count for nothing; a query counts "
            "when it and one relevant item are there. Intervals: the central 95 % over {n} resamples of the queries, "
            "all measures on the same ones (seed 0)."
        ).format(n=f"{RESAMPLES:,}")
    )
