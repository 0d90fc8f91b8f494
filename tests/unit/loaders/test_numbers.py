"""Decimal numbers as float32, against exact fractions."""

from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest

from attention_core.loaders.base.numbers import plain_values, row_values, values_between

EXACT = Context(prec=200)
BEYOND = Fraction(2) ** 128 - Fraction(2) ** 103
"""From here on the nearest value that float32 could hold, were its exponent unbounded, is infinite."""


def nearest(text):
    """The float32 nearest to a decimal, the one with an even last bit of two equally near."""
    exact, sign = Fraction(text), -1 if text.startswith("-") else 1
    if abs(exact) >= BEYOND:
        return np.float32(sign * np.inf)
    with np.errstate(over="ignore"):
        guess = np.float32(float(text))
    near = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
    near = [value for value in near if np.isfinite(value)]
    best = min(near, key=lambda value: (abs(Fraction(float(value)) - exact), int(value.view(np.uint32)) & 1))
    return np.float32(np.copysign(best, sign))


def decimals():
    """Random decimals of many lengths and sizes, and what lies at, above and below the middle of two float32."""
    rng = np.random.default_rng(11)
    for digits in 1, 5, 8, 9, 17:
        numbers = rng.normal(size=151) * 10.0 ** rng.integers(-12, 12, 151)
        yield from (f"{number:.{digits}{kind}}" for number in numbers for kind in "fe")
    for bits in rng.integers(0, 0x7F7FFFFF, 307).astype(np.uint32):
        below, above = (Decimal(float(number)) for number in np.array([bits, bits + 1], np.uint32).view(np.float32))
        middle = EXACT.divide(EXACT.add(below, above), 2)
        yield from (str(EXACT.multiply(middle, 1 + Decimal(nudge))) for nudge in ("0", "1e-20", "-1e-20"))


@pytest.fixture(scope="module")
def texts():
    edges = ["0", "-0", "-0.0", "1e-46", "-7e-46", "7.006492321624086e-46", "3.4028235677973366e38", "3.5e38", "-1e999"]
    return [*decimals(), *edges]


@pytest.fixture(scope="module")
def bits(texts):
    return np.array([nearest(text) for text in texts]).view(np.uint32)


def test_values_are_rounded_once(texts, bits):
    assert np.array_equal(plain_values(texts).view(np.uint32), bits)
    assert np.array_equal(row_values([text.encode() for text in texts]).view(np.uint32), bits)


def test_values_inside_a_text_are_the_same(texts, bits):
    text = "  ".join(texts).encode()
    lengths = np.array([len(text) for text in texts])
    starts = np.cumsum(lengths + 2) - lengths - 2
    edges = np.stack([starts, starts + lengths], axis=1).ravel()
    values = values_between(text, edges, np.arange(0, len(edges), 2)[None])
    assert np.array_equal(values.view(np.uint32), bits[None])


@pytest.mark.parametrize(
    "text", ["", ".", "1e", "0x10", "1_000", "1,5", "--1", "nan(1)", "NaN()", " 1", "1\r", "1\x00", "é"]
)
def test_what_is_no_plain_number_is_refused(text):
    assert plain_values(["1", text]) is None
    assert values_between(f"1 {text}".encode(), np.array([0, 1, 2, 2 + len(text.encode())]), np.array([[0, 2]])) is None


def test_bytes_that_are_not_utf8_are_no_number():
    assert values_between(b"1 \xff", np.array([0, 1, 2, 3]), np.array([[0, 2]])) is None
