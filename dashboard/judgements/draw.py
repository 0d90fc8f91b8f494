"""The figures and tables of Human judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

import attention_core as ac
from attention_core.export import judgements as export
from attention_core.export.table import table_csv, text
from attention_core.plots import estimates
from attention_core.plots.judged import farthest, judged_scores
from attention_core.similarity.bootstrap import Margin
from dashboard import draw
from dashboard.judgements import findings
from dashboard.judgements.chosen import Chosen
from dashboard.language import _
from dashboard.view import View

WORST = 12
"""Pairs in the table of the largest residuals."""
PRECISE = st.column_config.NumberColumn(format="%.3g", width=60)


def correlations(view: View, found: ac.Judgements) -> None:
    """Each measure's agreement with people, and the differences between measures."""
    left, right = st.columns(2)
    with left:
        st.markdown(f"**{_('Agreement with people')}**")
        agreement(view, found)
    with right:
        st.markdown(f"**{_('Differences between measures')}**")
        differences(view, found.margins, _("difference in ρ, 95 % interval<br>grey: none can be told"), "differences")


def agreement(view: View, found: ac.Judgements) -> None:
    """Each measure's rank correlation with people."""
    draw.figure(estimates.correlations(found, view.style), findings.alt_estimates(found), "correlations")


def differences(view: View, margins: Sequence[Margin], axis: str, key: str) -> None:
    """The difference of every two measures that need no weights."""
    weighted = {name for name, measure in ac.MEASURES.items() if measure.needs_weights}
    shown = [margin for margin in margins if not weighted & {margin.first, margin.second}]
    if not shown:
        st.markdown(_("No two measures can be compared here."))
        return
    draw.figure(estimates.margins(shown, axis, view.style), findings.alt_margins(shown), key)


def _all_differences(margins: Sequence[Margin]) -> None:
    """The difference of every two measures as a table."""
    names = [[_(ac.MEASURES[name].label) for name in (margin.first, margin.second)] for margin in margins]
    rows = {
        _("difference"): [" − ".join(pair) for pair in names],
        _("value"): [margin.value for margin in margins],
        _("low"): [margin.interval[0] for margin in margins],
        _("high"): [margin.interval[1] for margin in margins],
    }
    precise = dict.fromkeys(list(rows)[1:], PRECISE)
    st.dataframe(rows, hide_index=True, key="all-differences", column_config=precise)


def judged_pairs(view: View, found: ac.Judgements, measure: str) -> None:
    """People's scores against one measure's, and the pairs on which the two differ most."""
    judged = found[measure]
    if not judged.covered:
        return
    worst = [found.scored[i] for i in farthest(judged.residuals, WORST)]
    pairs = [found.table.pairs[i] for i in worst]
    alt = _("People's scores against {measure}; ranks differ most for {pairs}").format(
        measure=_(ac.MEASURES[measure].label), pairs=", ".join(" – ".join(pair) for pair in pairs[:6])
    )
    left, right = st.columns([3, 2])
    with left:
        draw.figure(judged_scores(found, measure, view.style), alt, "judged-scores")
    with right:
        places = farthest(judged.residuals, WORST)
        rows = {
            _("pair"): [" – ".join(map(text, pair)) for pair in pairs],
            _("people"): found.human[places],
            _(ac.MEASURES[measure].label): judged.scores[places],
            _("apart"): judged.residuals[places],
        }
        precise = dict.fromkeys(list(rows)[1:], PRECISE)
        st.dataframe(rows, hide_index=True, key="worst", column_config=precise)
        st.caption(
            _(
                "The largest differences between the rank people give a pair and its rank by closeness; positive: "
                "closer here."
            )
        )


def correlation_rows(found: ac.Judgements) -> None:
    """The figures of every measure as a table."""
    rows = export.summary(found).drop(columns=["covered", "pairs"])
    left, right = st.columns(2)
    with left:
        precise = dict.fromkeys(rows.columns[1:], PRECISE)
        st.dataframe(rows, hide_index=True, key="measures-judged", column_config=precise)
    with right:
        _all_differences(found.margins)


def accuracies(view: View, answers: Mapping[str, ac.Answered]) -> None:
    """Each method's share of right answers, with and without the question's own words."""
    draw.figure(estimates.accuracies(answers, view.style), findings.alt_answers(answers), "accuracies")


def sections(view: View, answers: Mapping[str, ac.Answered], allowed: bool) -> None:
    """The same for each section."""
    figure = estimates.section_accuracies(answers, allowed, view.style)
    names = [name for name, share in next(iter(answers.values())).sections.items() if share.covered]
    alt = _("Share answered right in each section: {sections}").format(sections=", ".join(names))
    draw.figure(figure, alt, "sections")


def answer_lists(answers: Mapping[str, Sequence[tuple[str, float]]], view: View) -> None:
    """The best answers of each method, side by side."""
    for column, (method, found) in zip(st.columns(len(answers)), answers.items(), strict=True):
        arrow = "↓" if method == "euclidean" else "↑"
        with column:
            st.markdown(f"**{estimates.method_label(method, view.style)} {arrow}**")
            rows = {_("word"): [text(word) for word, _score in found], _("score"): [score for _word, score in found]}
            st.dataframe(rows, hide_index=True, key=f"answers-{method}", column_config={_("score"): PRECISE})


def retrieved(view: View, found: ac.Retrieval) -> None:
    """Each measure's recall, reciprocal rank and nDCG, and the differences in nDCG."""
    left, right = st.columns(2)
    with left:
        st.markdown(f"**{_('What each measure finds')}**")
        draw.figure(estimates.metrics(found, view.style), findings.alt_retrieval(found), "retrieved")
    with right:
        st.markdown(f"**{_('Differences between measures')}**")
        axis = _("difference in nDCG@{k}, 95 % interval<br>grey: none can be told").format(k=found.k)
        differences(view, found.margins["ndcg"], axis, "differences-retrieved")
    told = [findings.few(len(found.queries)), findings.untrained(view), findings.missing(found.missing)]
    st.caption(" ".join(filter(None, told)))


def retrieved_rows(found: ac.Retrieval) -> None:
    """The figures and the differences in nDCG as tables."""
    rows = export.retrieved_table(found)[["measure", "metric", "value", "low", "high"]]
    titles = {metric: _(title).format(k=found.k) for metric, title in estimates.METRICS.items()}
    rows["metric"] = [titles[metric] for metric in rows["metric"]]
    rows["measure"] = [_(ac.MEASURES[name].label) for name in rows["measure"]]
    left, right = st.columns(2)
    with left:
        precise = dict.fromkeys(rows.columns[2:], PRECISE)
        st.dataframe(rows, hide_index=True, key="rows-retrieved", column_config=precise)
    with right:
        _all_differences(found.margins["ndcg"])


def take_judgements(view: View, chosen: Chosen, found: ac.Judgements) -> None:
    """The scored pairs as CSV, and the Python that correlates them."""
    code = export.judged_code(draw.loading(view), _called(chosen), view.seed)
    settings = {**view.settings, "judged": chosen.table.name}
    draw.takeaway(lambda: table_csv(export.judged_table(found), view.embeddings, settings), "judgements.csv", code)


def take_answers(view: View, chosen: Chosen, answers: Mapping[str, ac.Answered]) -> None:
    """Accuracies as CSV, and the Python that finds them."""
    code = export.answered_code(draw.loading(view), _called(chosen))
    settings = {**view.settings, "questions": chosen.table.name}
    table = export.answered_table(dict(answers))
    draw.takeaway(lambda: table_csv(table, view.embeddings, settings), "analogies.csv", code)


def take_retrieval(view: View, chosen: Chosen, found: ac.Retrieval) -> None:
    """The figures of retrieval as CSV, and the Python that finds them."""
    code = export.retrieved_code(draw.loading(view), _called(chosen), found.k, view.seed)
    settings = {**view.settings, "relevance": chosen.table.name}
    draw.takeaway(lambda: table_csv(export.retrieved_table(found), view.embeddings, settings), "retrieval.csv", code)


def _called(chosen: Chosen) -> str:
    return _("your table") if chosen.own else chosen.table.name
