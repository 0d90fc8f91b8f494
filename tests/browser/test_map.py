"""What only a browser shows of the map: selecting words, stopping t-SNE, and the link."""

import io
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import attention_core as ac

PROCESSES = Path("/proc")


def box(reader, part):
    """Drags a box over a part of the map, given as (left, top, right, bottom) from 0 to 1."""
    reader.page.locator(".st-key-map .modebar-btn[data-val='select']").first.click()
    area = reader.page.locator(".st-key-map .nsewdrag").first
    area.scroll_into_view_if_needed()
    at = area.bounding_box()
    x, y = ([at["x"] + p * at["width"] for p in part[::2]], [at["y"] + p * at["height"] for p in part[1::2]])
    mouse = reader.page.mouse
    mouse.move(x[0], y[0])
    mouse.down()
    mouse.move((x[0] + x[1]) / 2, (y[0] + y[1]) / 2, steps=3)
    mouse.move(x[1], y[1], steps=3)
    mouse.up()
    return reader.settle()


def lasso(reader):
    """Draws an ellipse around the middle of the map; its centre and half axes in the unit of the points."""
    reader.page.locator(".st-key-map .modebar-btn[data-val='lasso']").first.click()
    area = reader.page.locator(".st-key-map .nsewdrag").first
    area.scroll_into_view_if_needed()
    at, mouse = area.bounding_box(), reader.page.mouse
    angles = np.linspace(0, 2 * np.pi, 49)
    xs = at["x"] + at["width"] * (0.45 + 0.2 * np.cos(angles))
    ys = at["y"] + at["height"] * (0.5 + 0.1 * np.sin(angles))
    mouse.move(xs[0], ys[0])
    mouse.down()
    for x, y in zip(xs[1:].tolist(), ys[1:].tolist(), strict=True):
        mouse.move(x, y)
    mouse.up()
    reader.settle()
    ranges = reader.page.locator(".st-key-map .js-plotly-plot").first.evaluate(
        "p => [p._fullLayout.xaxis.range, p._fullLayout.yaxis.range]"
    )
    (left, right), (bottom, top) = ranges
    spans = np.array([right - left, top - bottom])
    return np.array([left, bottom]) + spans * [0.45, 0.5], spans * [0.2, 0.1]


def downloaded(reader):
    """The table of the words that the page says are selected."""
    selected = reader.page.locator("[data-testid='stMarkdownContainer']", has_text="words are selected").inner_text()
    with reader.page.expect_download() as download:
        reader.page.locator(".st-key-csv-selected button").click()
    table = pd.read_csv(io.BytesIO(Path(download.value.path()).read_bytes()), encoding="utf-8-sig")
    assert selected == f"{len(table):,} words are selected."
    return table


def test_what_a_lasso_or_a_box_holds_is_listed_and_can_be_downloaded(reader):
    reader.go("map?map_words=1000&source=glove-en&map_groups=animals")
    reader.page.locator(".st-key-map .js-plotly-plot").wait_for()
    centre, halves = lasso(reader)
    table = downloaded(reader)
    e = ac.sample("glove-en")
    points = ac.project(e).points
    drawn = ac.map_rows(e, ac.compare(e, "king", 50), 1000)
    from_centre = dict(zip(drawn.tolist(), np.linalg.norm((points[drawn] - centre) / halves, axis=1), strict=True))
    rows = {e.index(word) for word in table["word"]}
    assert len(rows) > 20 and all(from_centre[row] < 1.05 for row in rows)
    assert rows >= {row for row, distance in from_centre.items() if distance < 0.8}

    box(reader, (0.05, 0.05, 0.95, 0.5))
    table = downloaded(reader)
    assert 50 < len(table) < 1000
    rows = [e.index(word) for word in table["word"]]
    assert table["x"].tolist() == pytest.approx(points[rows, 0].tolist(), abs=1e-9)
    others = sorted(set(drawn.tolist()) - set(rows))
    bottom, sides = points[rows, 1].min(), (points[rows, 0].min(), points[rows, 0].max())
    inside = (points[others, 1] > bottom) & (points[others, 0] > sides[0]) & (points[others, 0] < sides[1])
    assert not (inside & (points[others, 1] < points[rows, 1].max())).any()


def children():
    found = []
    for path in PROCESSES.glob("[0-9]*/cmdline"):
        try:
            if "tsne_process.py" in path.read_text() and "4321" in path.read_text():
                found.append(path)
        except OSError:
            continue
    return found


def gone():
    deadline = time.monotonic() + 5
    while children() and time.monotonic() < deadline:
        time.sleep(0.1)
    return not children()


@pytest.mark.skipif(not PROCESSES.exists(), reason="looks for processes in /proc")
def test_t_sne_ends_when_it_is_stopped_left_or_closed(open_reader):
    reader = open_reader()
    page = reader.page
    page.goto(f"{reader.url}/map?map_method=t-SNE&map_seed=4321")
    stop = page.locator("[data-testid='stMain']").get_by_role("button", name="Stop")
    stop.wait_for()
    assert len(children()) == 1
    stop.click()
    assert gone()
    reader.settle()
    assert "Stopped: Placing the words by t-SNE." in reader.text()
    page.get_by_role("button", name="Compute").click()
    stop.wait_for()
    assert len(children()) == 1
    page.locator(".st-key-navigation a", has_text="Rankings").click()
    assert gone()
    page.goto(f"{reader.url}/map?map_method=t-SNE&map_seed=4321")
    stop.wait_for()
    assert len(children()) == 1
    page.close()
    assert gone()


def test_a_link_restores_the_picture(reader):
    reader.go("map?source=wiki-zh&q=苹果&map_words=500&map_seed=3&map_dimensions=3&k=5&measures=cosine&map_groups=水果")
    text = reader.text()
    assert "500 of 7,034 words are drawn" in text and "These 3 axes hold" in text
    for part in ("map_words=500", "map_seed=3", "map_dimensions=3", "k=5", "measures=cosine", "map_groups="):
        assert part in reader.page.url
    names = reader.page.locator(".st-key-map .js-plotly-plot").first.evaluate("p => p.data.map(t => t.name)")
    assert names == ["words", "水果", "cosine", "the query"]
