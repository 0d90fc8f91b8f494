"""Decimal numbers as float32, against exact fractions."""

from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attention_core.loaders.base import text_rows
from attention_core.loaders.base.numbers import is_number, plain_values, row_values
from tests.uncompiled import uncompiled

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


def read(text, functions=text_rows):
    """The only number of a line, or None where it is left to others."""
    given, row = np.frombuffer(f"{text}\n".encode(), np.uint8), np.zeros(1, np.float32)
    with np.errstate(over="ignore"):
        end = functions.read_numbers(given, 0, row)
    assert end in (-1, len(given) - 1)
    return None if end < 0 else row[0]


def test_numbers_of_a_text_are_the_same_or_left_to_others(texts, bits):
    values = list(map(read, texts))
    assert all(value is None or value.view(np.uint32) == right for value, right in zip(values, bits, strict=True))
    left = np.array([value is None for value in values])
    count = len(texts) - 9  # the last ones are extreme
    assert left[: count - 3 * 307].mean() < 0.01  # of random decimals; of those in the middle of two float32:
    assert left[count - 3 * 307 : count : 3].all()


SIGNS, DIGITS, FEW = st.sampled_from(["", "-", "+"]), st.text("0123456789", max_size=25), st.text("0123", max_size=2)
POINT, E = st.sampled_from(["", "."]), st.sampled_from(["", "e", "E-"])
ALMOST = st.builds("".join, st.tuples(SIGNS, DIGITS, POINT, DIGITS, E, FEW, st.text(".eE+-0_ x", max_size=2)))


@settings(max_examples=300, deadline=None)
@given(text=ALMOST | st.builds("{}{}.{}e{}".format, SIGNS, DIGITS, DIGITS, st.integers(-70, 70)))
@example("1e38")
@example("1e39")
@example("9007199254740993")
@example("16777217")
@example("." + "0" * 99 + "1e90")
@example("1" * 99)
@example("-0e99")
@example("1e-99")
@example("12345678901234567890e-65")
@example("1e-45")
@example("0.999999970197677612304687500000001")
def test_what_is_read_is_a_number_rounded_once(text):
    value = read(text)
    assert repr(read(text, uncompiled(text_rows))) == repr(value)
    if value is not None:
        number = text.rstrip(" ").encode()
        assert is_number(number) and value.view(np.uint32) == nearest(number.decode()).view(np.uint32)


@pytest.mark.parametrize(
    "text", ["", ".", "1e", "0x10", "1_000", "1,5", "--1", "nan(1)", "NaN()", " 1", "1\r", "1\x00", "é"]
)
def test_what_is_no_plain_number_is_refused(text):
    assert plain_values(["1", text]) is None
