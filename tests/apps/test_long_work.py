"""Results of long work: computed once, whoever asks, and never lost to a reader who stops."""

import threading
from dataclasses import replace

import pytest

import attention_core as ac
from attention_core.plots.theme import Style
from dashboard.kept import _Place
from dashboard.progress import Stopped
from dashboard.view import View


def ignore(done, total):
    """A report that nobody reads."""


def test_a_second_reader_waits_for_the_first_and_gets_its_result():
    place, begun, go_on, waited = _Place(), threading.Event(), threading.Event(), threading.Event()
    computed, answers = [], []

    def compute(progress):
        computed.append(1)
        begun.set()
        go_on.wait(5)
        return "result"

    def waiting(done, total):
        waited.set()
        go_on.set()

    first = threading.Thread(target=lambda: answers.append(place.result(compute, ignore)))
    first.start()
    assert begun.wait(5)
    answers.append(place.result(compute, waiting))
    first.join()
    assert waited.is_set() and computed == [1] and answers == ["result", "result"]


def test_a_reader_who_stops_leaves_the_work_to_the_next():
    place = _Place()

    def stopped(progress):
        raise Stopped("work", "doing")

    with pytest.raises(Stopped):
        place.result(stopped, ignore)
    assert place.result(lambda progress: "result", ignore) == "result"


def test_a_reader_who_stops_waiting_is_let_go():
    place = _Place()

    def stop(done, total):
        raise Stopped("work", "doing")

    with place.lock, pytest.raises(Stopped):
        place.result(lambda progress: "result", stop)
    assert not place.results


def test_the_look_of_a_page_decides_no_result():
    view = View(ac.sample("glove-en"), False, "king", ac.Compute(), 0, {}, Style())
    assert replace(view, style=Style(dark=True)).key == view.key
    assert replace(view, seed=1).key != view.key
