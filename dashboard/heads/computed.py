"""One named function for each kept call about heads."""

from __future__ import annotations

import attention_core as ac
from attention_core.attention.head_ranks import HeadRanks
from attention_core.attention.head_subspaces import HeadSubspaces
from attention_core.attention.projections import Part
from attention_core.attention.stages import Survey
from dashboard import cache
from dashboard.attention.asked import Asked
from dashboard.kept import watching
from dashboard.progress import Progress
from dashboard.view import View


@watching("Comparing the heads")
def survey(view: View, heads: Asked, *, progress: Progress) -> Survey:
    """Attention by several heads, with what is read off all of their weights."""
    x = cache.vectors(view, heads.sentence)
    weights = cache.projections(view, heads)
    found = ac.attention.stages(x, heads.settings, weights, lambda done, total: progress(done, 4 * total))
    return ac.attention.survey(found, progress=lambda done, total: progress(total + 3 * done, 4 * total))


@watching("Measuring what the heads see")
def subspaces(view: View, heads: Asked, part: Part, *, progress: Progress) -> HeadSubspaces:
    """What the heads see of the sentence."""
    found = survey(view, heads).stages
    x = found.positioned.cpu().double().numpy()
    return ac.attention.head_subspaces(found.projections, heads.settings.heads, x, part, progress)


@watching("Counting the directions of the heads")
def head_ranks(view: View, heads: Asked, *, progress: Progress) -> HeadRanks:
    """In how many directions each head works."""
    return ac.attention.head_ranks(survey(view, heads).stages.projections, heads.settings.heads, progress)
