"""What attention refuses: each time what was given and expected, and what to do."""

import math
from functools import partial

import pytest
import torch

import attention_core as ac
from attention_core.attention import (
    AttentionOptions,
    Tiling,
    attend,
    masks,
    merge,
    merge_heads,
    multi_head,
    online_softmax,
    rotary,
    scaled,
    sinusoidal,
    split_heads,
)
from attention_core.attention.projections import Projections
from tests.attending import normal, qkv

FORMS = {
    "scaled": scaled,
    "attend": attend,
    "without weights": partial(attend, options=AttentionOptions(need_weights=False)),
    "online": lambda q, k, v, mask=None: online_softmax(q, k, v, 2, mask),
}
forms = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def refused(*words):
    return pytest.raises(ac.AttentionError, match=".*".join(words))


@forms
@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        (((7,), (5, 7), (5, 2)), r"q \(7,\)"),
        (((3, 7), (5, 7), (4, 2)), r"k \(5, 7\), v \(4, 2\)"),
        (((2, 3, 7), (3, 5, 7), (5, 2)), r"q \(2, 3, 7\), k \(3, 5, 7\)"),
        (((3, 7), (5, 6), (5, 2)), "found 7 and 6 components"),
    ],
)
def test_shapes_that_do_not_fit(form, shapes, words):
    with refused(words):
        form(*(torch.ones(shape) for shape in shapes))


@forms
def test_dtypes_that_differ_or_are_no_numbers_with_a_fraction(form):
    q, k, v = qkv()
    with refused("float32 on cpu, float64 on cpu"):
        form(q.float(), k, v)
    with refused("found int64"):
        form(q.long(), k.long(), v.long())


@forms
@pytest.mark.parametrize("shape", [(5, 3), (4, 5), (3, 4), (2, 3, 5), (3, 1, 1), ()])
def test_a_mask_of_another_shape(form, shape):
    with refused(r"broadcasts to \(3, 5\)", f"found {str(shape).replace('(', '.').replace(')', '.')}"):
        form(*qkv(), torch.ones(shape, dtype=torch.bool))


@forms
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.uint8], ids=str)
def test_a_mask_of_zeros_and_ones_says_why(form, dtype):
    with refused("0 and 1", "add these to the scores", r"mask\.bool\(\)"):
        form(*qkv(), masks.causal(3, 5).to(dtype))


@forms
@pytest.mark.parametrize("low", [-1e9, torch.finfo(torch.float32).min, -10_000.0])
def test_a_finite_number_that_stands_for_masked_says_why(form, low):
    with refused("0 and −inf", "mask > -1e4", "the mean of all values"):
        form(*qkv(), torch.zeros(3, 5).masked_fill(~masks.causal(3, 5), low))


@forms
@pytest.mark.parametrize("value", [math.nan, math.inf, 0.5])
def test_an_additive_mask_of_other_values(form, value):
    with refused("boolean mask"):
        form(*qkv(), torch.full((3, 5), value))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"score": "manhattan"}, "“manhattan”.*dot, cosine, euclidean, additive"),
        ({"score": "additive"}, "additive score needs weights"),
        ({"weights": ac.AdditiveWeights.random(7, 7)}, "dot product score has no weights"),
        ({"temperature": 0.0}, "temperature is a number above 0, and 0.0"),
        ({"temperature": math.nan}, "temperature"),
        ({"scale": math.inf}, "scale is a finite number, and inf"),
        ({"softcap": -1.0}, "softcap is a number above 0, and -1.0"),
        ({"dropout": 1.0}, "dropout is from 0 to below 1, and 1.0"),
        ({"align": "left"}, "align is bottom-right or top-left, and left"),
    ],
)
def test_options_out_of_range(options, words):
    with refused(words):
        AttentionOptions(**options)


def test_a_sink_of_another_shape():
    with refused(r"broadcasts to \(3,\)", r"found \(2,\)"):
        attend(*qkv(), options=AttentionOptions(sink=torch.zeros(2)))


def test_additive_weights_for_other_sizes():
    options = AttentionOptions("additive", weights=ac.AdditiveWeights.random(3, 3))
    with pytest.raises(ac.AttentionCoreError, match="queries of 3 and keys of 3"):
        attend(*qkv(), options=options)


@pytest.mark.parametrize(
    "make",
    [
        lambda: masks.causal(3, 5, align="left"),
        lambda: masks.causal(-1, 5),
        lambda: masks.sliding_window(3, 5, 0),
        lambda: masks.block(3, 5, 0),
        lambda: masks.dilated(3, 5, -1),
        lambda: masks.prefix(3, 5, -1),
        lambda: masks.padding(torch.tensor([6]), 5),
        lambda: masks.padding(torch.tensor([-1]), 5),
        lambda: masks.padding(torch.tensor([1.5]), 5),
        lambda: masks.padding(torch.tensor([True]), 5),
    ],
)
def test_a_pattern_that_cannot_be(make):
    with refused("Choose|Give"):
        make()


@pytest.mark.parametrize("tile", [0, -1])
def test_a_tile_without_keys(tile):
    with refused(f"Tiles of {tile} keys"):
        online_softmax(*qkv(), tile=tile)


def test_a_tiling_that_cannot_be():
    with refused("“left”"):
        Tiling(align="left")
    with refused("“all”"):
        Tiling(trace="all")


def test_parts_that_cannot_be_merged():
    with refused("no part"):
        merge([])
    with refused(r"\(2, 11\), \(3, 11\)"):
        merge([online_softmax(*qkv(queries=queries)) for queries in (3, 2)])


HEADS = {
    "heads that do not divide the rows": ((5, 5), "5 heads", r"q \(12, 12\)"),
    "no heads": ((0, 1), "0 query heads"),
    "kv heads that do not divide heads": ((4, 3), "4 query heads cannot share 3"),
    "kv heads that the weights were not made for": ((4, 2), "4 heads and 2", r"k \(12, 12\)"),
}


@pytest.mark.parametrize(("heads", "words"), [(h, w) for h, *w in HEADS.values()], ids=HEADS)
def test_heads_that_cannot_be(heads, words):
    with refused(*words):
        multi_head(normal(5, 12), Projections.random(0, 12, heads=4), *heads)


def test_vectors_that_the_projections_do_not_fit():
    for x in (normal(5, 11), normal(12), torch.ones(5, 12, dtype=torch.int64)):
        with refused(r"\(..., token, 12\)", "found"):
            multi_head(x, Projections.random(0, 12, heads=4), 4)


def test_an_output_matrix_for_other_heads():
    eye = torch.eye(12)
    with refused(r"o \(out, 12\)", r"found \(12, 6\)"):
        multi_head(normal(5, 12), Projections(eye, eye, eye, eye[:, :6]), 4)


def test_heads_that_cannot_be_split_or_merged():
    with refused("5 heads", r"\(3, 12\)"):
        split_heads(normal(3, 12), 5)
    with refused(r"found \(3, 12\)"):
        merge_heads(normal(3, 12))


@pytest.mark.parametrize(
    ("shape", "positions", "options", "words"),
    [
        ((5, 7), range(5), {}, r"even d.*found \(5, 7\)"),
        ((6,), range(1), {}, r"found \(6,\)"),
        ((5, 6), range(4), {}, r"broadcast to \(5,\).*found \(4,\)"),
        ((5, 6), range(5), {"layout": "halves"}, "“halves”"),
        ((5, 6), range(5), {"theta": 0.0}, "theta above 0"),
    ],
)
def test_rotations_that_cannot_be(shape, positions, options, words):
    with refused(words):
        rotary.rotate(normal(*shape), torch.tensor(list(positions)), **options)


def test_an_odd_number_of_components_has_no_pairs():
    for convert in (rotary.to_half_split, rotary.to_interleaved):
        with refused("found 5"):
            convert(normal(5))
    with refused("size of 0"):
        sinusoidal(torch.arange(3), 0)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_cuda_without_a_gpu_is_refused_and_never_the_cpu_instead():
    with pytest.raises(ac.ComputeError, match="“cuda”"):
        ac.Compute("cuda")
