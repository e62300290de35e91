"""One holder at a time; the one before rests, after its runs in other threads."""

from __future__ import annotations

import threading

from tensordbg.tensorflow.v1.turns import Turns


class _Holder:
    def __init__(self) -> None:
        self.running: set[int] = set()
        self.rested: list[bool] = []

    def rest(self) -> None:
        self.rested.append(not self.running)


def test_the_one_before_rests() -> None:
    turns, first, second = Turns(), _Holder(), _Holder()
    assert turns.free
    turns.take(first)
    turns.take(first)
    assert (first.rested, turns.free) == ([], False)
    turns.take(second)
    turns.leave(first)
    assert (first.rested, second.rested, turns.free) == ([True], [], False)
    turns.leave(second)
    assert turns.free


def test_a_run_in_another_thread_is_waited_for() -> None:
    turns, first, second = Turns(), _Holder(), _Holder()
    turns.take(first)
    first.running.add(-1)
    ended = threading.Timer(0.05, first.running.clear)
    ended.start()
    turns.take(second)
    ended.join()
    assert first.rested == [True]


def test_it_gives_way_and_may_have_another_turn() -> None:
    turns, first, second = Turns(), _Holder(), _Holder()
    turns.take(first)
    turns.give_way(second)
    assert (first.rested, second.rested, turns.free) == ([], [], False)
    turns.give_way(first)
    assert (first.rested, turns.free) == ([True], True)
    turns.take(first)
    assert (first.rested, turns.free) == ([True], False)
