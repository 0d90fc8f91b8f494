"""Parts worked on ahead, results in order."""

import threading

import pytest

from attention_core.errors import EmbeddingsError
from attention_core.loaders.base.in_order import in_order


def test_results_keep_the_order_of_the_parts():
    assert list(in_order(lambda part: part * part, range(101))) == [part * part for part in range(101)]
    assert list(in_order(str, [])) == []


def test_only_a_few_parts_are_read_ahead():
    read = []
    results = in_order(str, (read.append(part) or part for part in range(10_000)))
    assert (next(results), next(results)) == ("0", "1")
    assert len(read) < 100
    results.close()


def parts_then(error):
    yield from range(3)
    raise error


def refused_at(number):
    def work(part):
        if part == number:
            raise EmbeddingsError(f"part {part}")
        return part

    return work


def test_the_first_error_is_the_one_raised():
    unreadable = EmbeddingsError("unreadable")
    for number, message in ((0, "part 0"), (2, "part 2"), (3, "unreadable")):
        with pytest.raises(EmbeddingsError, match=message):
            list(in_order(refused_at(number), parts_then(unreadable)))


def test_whoever_stops_the_reading_is_obeyed_and_no_thread_stays():
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        list(in_order(str, parts_then(KeyboardInterrupt())))
    assert threading.active_count() == before
