"""Bytes in words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention_core as ac
from attention_core.kv_cache import UNITS, best_unit, format_bytes

WRITTEN = [
    (70_272, "KiB", "68.625 KiB"), (70_272, "KB", "70.272 KB"), (70_272, "binary", "68.625 KiB"),
    (70_272, "decimal", "70.272 KB"), (0, "binary", "0 bytes"), (1023, "binary", "1,023 bytes"),
    (1024, "binary", "1 KiB"),
    (999, "decimal", "999 bytes"), (1000, "decimal", "1 KB"), (3_997_696, "MiB", "3.813 MiB"),
    (2**70, "binary", "1,024 EiB"),
    (7_027_200_000, "GB", "7.027 GB"), (2**40, "GiB", "1,024 GiB"), (10, "KiB", "0.01 KiB"),
]  # fmt: skip


@pytest.mark.parametrize(("count", "unit", "written"), WRITTEN)
def test_a_count_in_words(count, unit, written):
    assert format_bytes(count, unit) == written


def test_gb_and_gib_are_two_things():
    assert UNITS["GB"] == 10**9 and UNITS["GiB"] == 2**30
    assert format_bytes(80 * 10**9, "GiB") == "74.506 GiB"


@settings(deadline=None)
@given(st.integers(0, 2**75), st.sampled_from(["binary", "decimal"]))
def test_the_unit_that_fits_leaves_no_leading_zero(count, family):
    unit = best_unit(count, family)
    assert count == 0 or count >= UNITS[unit]
    assert ("i" in unit) == (family == "binary") or unit == "bytes"


@pytest.mark.parametrize("given", [(1, "gib"), (1, ""), (-1, "GiB")])
def test_other_units_and_negative_counts_are_refused(given):
    with pytest.raises(ac.CacheError):
        format_bytes(*given)
