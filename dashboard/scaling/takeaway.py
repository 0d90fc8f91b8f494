"""What a reader takes along from each tab of Scaling and softmax."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from attention_core.experiments.cost import LENGTHS, Cost
from attention_core.experiments.gradients import Gradients
from attention_core.experiments.overflow import Failure
from attention_core.experiments.saturation import Saturation
from attention_core.experiments.tile_by_tile import TileByTile
from attention_core.experiments.variance import DotProducts
from attention_core.export import scaling as export
from attention_core.export.table import table_csv
from dashboard import draw
from dashboard.language import _
from dashboard.scaling.inputs import Changed, Drawn
from dashboard.view import View


def products(view: View, asked: Drawn, sweep: Mapping[int, DotProducts], found: DotProducts) -> None:
    """Every d_k as CSV, and Python."""
    own = asked.components is None
    source = draw.loading(view) if own else None
    code = export.products_code(source, asked.components or "", asked.d, asked.size, asked.seed)
    rows = dict(sorted({**sweep, asked.d: found}.items()))
    settings = view.settings if own else {}
    draw.takeaway(
        lambda: table_csv(export.products_table(rows), view.embeddings if own else None, settings), "variance.csv", code
    )


def saturation(rows: Mapping[str, Saturation], chosen: Changed) -> None:
    """Every row and factor as CSV, and Python."""
    code = export.saturation_code(chosen.scores, chosen.factor, chosen.shift)
    draw.takeaway(lambda: table_csv(export.saturation_table(rows), None, {}), "saturation.csv", code)


def overflow(found: Sequence[Failure], scores: Sequence[float]) -> None:
    """Every dtype as CSV, and Python."""
    table = export.overflow_table(found)
    draw.takeaway(lambda: table_csv(table, None, {}), "overflow.csv", export.overflow_code(scores))


def tiles(found: TileByTile) -> None:
    """Every tile as CSV, and Python."""
    code = export.tiles_code(found.scores, found.tile, LENGTHS)
    draw.takeaway(lambda: table_csv(export.tiles_table(found), None, {}), "online_softmax.csv", code)


def gradients(found: Gradients) -> None:
    """The gradients as CSV."""
    _file(export.gradients_table(found), "gradients.csv")


def costs(found: Sequence[Cost]) -> None:
    """The measured costs as CSV."""
    _file(export.costs_table(found), "cost.csv")


def _file(table: pd.DataFrame, name: str) -> None:
    st.download_button(
        _("Download {name}").format(name=name),
        data=lambda: table_csv(table, None, {}),
        file_name=name,
        mime="text/csv",
        on_click="ignore",
        key=f"csv-{name.partition('.')[0]}",
    )
