"""Tiles counted by compiled loops, and by the same loops uncompiled, against numpy in float64."""

import numpy as np
import pytest

from attention_core.similarity import tiles
from attention_core.similarity.lanes import Lane

WORDS, BINS = 90, 64
LOOPS = ["_place", "_score", "_look_at", "_note", "_count", "count_tile"]


@pytest.fixture(params=["compiled", "uncompiled"])
def count(request, monkeypatch):
    """Uncompiled, an index outside its array is an error."""
    if request.param == "uncompiled":
        for name in LOOPS:
            monkeypatch.setattr(tiles, name, getattr(tiles, name).py_func)
    return tiles.count_tile


def lane(dtype, root, near=-1, words=WORDS):
    """Small whole numbers and a step of 1/4: exact in float32 too."""
    rng = np.random.default_rng(0)
    scale = rng.choice([0.5, 1, 2], WORDS).astype(dtype)
    shift = rng.integers(-9, 0, WORDS).astype(dtype)
    return Lane(scale, shift, root, step=0.25, offset=9.0, bins=BINS, near=near, words=words, rounding=0.0)


def products(dtype, height, width):
    return np.random.default_rng(1).integers(-99, 9, (height, width)).astype(dtype)


def pairs_of(product, top, left, lane):
    """(row, column, score, bin) of every pair above the diagonal that has a score."""
    rows, columns = np.indices(product.shape)
    rows, columns = rows + top, columns + left
    kept = (columns > rows) & (np.maximum(rows, columns) < lane.words)
    rows, columns, scores = rows[kept], columns[kept], product[kept].astype(np.float64)
    scale, shift = lane.scale.astype(np.float64), lane.shift.astype(np.float64)
    scores = scores * scale[rows] * scale[columns] + shift[rows] + shift[columns]
    scores = np.sqrt(np.maximum(-2 * scores, 0)) if lane.root else scores
    return rows, columns, scores, np.clip(np.floor(scores * lane.step + lane.offset), 0, BINS + 1).astype(int)


TILES = [(0, 0, 40, 70), (20, 20, 17, 1), (30, 70, 9, 20), (83, 83, 7, 7), (40, 41, 1, 1), (80, 80, 1, 1)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("root", [False, True])
@pytest.mark.parametrize("words", [WORDS, 81])
def test_every_pair_above_the_diagonal_is_counted_once_and_the_extremes_are_found(count, dtype, root, words):
    order = np.random.default_rng(2).permutation(WORDS)
    for top, left, height, width in TILES:
        product, how = products(dtype, height, width), lane(dtype, root, words=words)
        product = np.minimum(product, -10) if root else product  # no closeness above 0
        tally = tiles.Tally.of(BINS, product.size)
        count(product, top, left, how, tally)
        rows, columns, scores, places = pairs_of(product, top, left, how)
        found = tally.counted(order)
        np.testing.assert_array_equal(found.counts, np.bincount(places, minlength=BINS + 2))
        assert not tally.waiting[0]
        if not len(scores):
            assert found.lowest is None and found.highest is None
            continue
        for extreme, end in ((found.lowest, scores.argmin()), (found.highest, scores.argmax())):
            assert extreme[1:] == (order[rows[end]], order[columns[end]])
            assert abs(extreme.score - scores[end]) <= np.finfo(dtype).eps * abs(scores[end])


@pytest.mark.parametrize("near", [10, 13, BINS + 1])
def test_near_pairs_are_set_aside_and_neither_counted_nor_extreme(count, near):
    how = lane(np.float32, root=True, near=near)
    tally = tiles.Tally.of(BINS, 40 * 70)
    set_aside, counts, far = [], np.zeros(BINS + 2, dtype=int), []
    for left in (0, 20):
        product = products(np.float32, 40, 70)
        count(product, 0, left, how, tally)
        rows, columns, scores, places = pairs_of(product, 0, left, how)
        assert tally.taken().T.tolist() == np.stack([rows, columns], axis=1)[places <= near].tolist()
        set_aside.append((places <= near).sum())
        counts += np.bincount(places[places > near], minlength=BINS + 2)
        far += scores[places > near].tolist()
    found = tally.counted(np.arange(WORDS))
    np.testing.assert_array_equal(found.counts, counts)
    assert sum(set_aside) and (bool(far) == (near < BINS))
    if far:
        assert np.allclose([found.lowest.score, found.highest.score], [min(far), max(far)], rtol=1e-6)
    else:
        assert found.lowest is None and found.highest is None


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3e38, -3e38])
@pytest.mark.parametrize("root", [False, True])
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning", "ignore:invalid:RuntimeWarning")
def test_no_product_whatever_it_is_leads_outside_the_table(count, value, root):
    product = np.full((30, 30), value, dtype=np.float32)
    tally = tiles.Tally.of(BINS, product.size)
    count(product, 0, 40, lane(np.float32, root), tally)
    counts = tally.counted(np.arange(WORDS)).counts
    assert counts.sum() == product.size and counts[[0, -1]].sum() == product.size
