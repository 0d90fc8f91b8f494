"""Human judgements: which measure agrees with people on similarity, analogies and relevance."""

import streamlit as st

from dashboard import cache, frame, inputs
from dashboard.judgements import draw, explain, findings
from dashboard.judgements import inputs as choices
from dashboard.language import _

view = frame.require()
sentence = _(
    "Which measure agrees with people: on how similar words are, on analogies, and on what a search should find."
)
frame.heading(view, _("Human judgements"), sentence)
judgements, analogies, retrieval = inputs.opened_tab([_("Judgements"), _("Analogies"), _("Retrieval")])


@frame.part
def pairs_in_detail(view, judged):
    """What the choice of a measure changes."""
    draw.judged_pairs(view, judged, choices.measure())


@frame.part
def own_analogy(view, questions):
    """What the three words change."""
    words = choices.analogy(view)
    answers = cache.analogy(view, *words)
    st.markdown(findings.of_analogy(words, answers, questions))
    draw.answer_lists(answers, view)


if judgements.open:
    with judgements, frame.errors_shown():
        finding = st.container()
        pairs = choices.table(view, choices.PAIRS)
        if pairs is not None:
            judged = cache.judged(view, pairs)
            finding.markdown(findings.of_judgements(judged))
            draw.correlations(view, judged)
            st.caption(findings.notes(view, judged))
            pairs_in_detail(view, judged)
            draw.correlation_rows(judged)
            frame.details(lambda: explain.judgements(judged), lambda: draw.take_judgements(view, pairs, judged))

if analogies.open:
    with analogies, frame.errors_shown():
        finding = st.container()
        questions = choices.table(view, choices.QUESTIONS)
        main = st.container()
        own_analogy(view, questions)
        if questions is not None:
            with main:
                answers = cache.answered(view, questions)
                draw.accuracies(view, answers)
            finding.markdown(findings.of_answers(answers))
            draw.sections(view, answers, choices.allowed())
            st.caption(findings.missing(answers["dot"].missing))
            frame.details(explain.analogies, lambda: draw.take_answers(view, questions, answers))

if retrieval.open:
    with retrieval, frame.errors_shown():
        finding = st.container()
        relevance = choices.table(view, choices.RELEVANCE)
        k = inputs.neighbours()
        if relevance is not None:
            found = cache.retrieved(view, relevance, k)
            finding.markdown(findings.of_retrieval(found))
            draw.retrieved(view, found)
            draw.retrieved_rows(found)
            frame.details(lambda: explain.retrieval(found), lambda: draw.take_retrieval(view, relevance, found))
