"""Steps of a program in its threads, and the log that rests between those that are recorded."""

from __future__ import annotations

import gc
import threading
import traceback
import weakref
from array import array
from itertools import groupby
from typing import Any

import pytest

from tensordbg import _native
from tensordbg.recording.budget import ALARMED_STEPS, Look, Looked, Spent
from tensordbg.recording.pace import Pace, pace_note


class Log:
    """Stands for the log."""

    def __init__(self) -> None:
        self.pauses = 0
        self.count = 0
        self.largest = 1.0
        self.records = 0

    def appended(self) -> int:
        return self.records

    def pause(self) -> None:
        self.pauses += 1

    def go_on(self) -> None:
        self.pauses -= 1

    def bad(self) -> int:
        return self.count

    def take_largest(self) -> float:
        return self.largest


class Program:
    """A program that makes calls, by a clock of its own."""

    def __init__(self) -> None:
        self.now = 0.0
        self.log: Any = Log()
        self.seconds = 0.01
        self.pace = Pace(0.02, self.log, lambda: self.now)

    def quick_call(self, key: object = "step") -> bool:
        """A call that is passed by where it can be; whether it was."""
        if not self.pace.passes_by(key):
            self.call(key)
            return False
        assert self.log.pauses == 1
        self.now += self.seconds
        return True

    def call(self, key: object = "step") -> bool:
        looked = self.pace.begin_call(key)
        assert self.log.pauses == (not looked)
        self.now += 2 * self.seconds if looked else self.seconds
        self.pace.end_call()
        return looked


def in_thread(do: Any) -> Any:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(do()))
    thread.start()
    thread.join()
    return results[0]


def test_all_is_recorded_until_a_step_begins_and_then_what_the_budget_allows() -> None:
    program = Program()
    assert program.pace.looking
    looked = [program.call() for _ in range(2000)]
    assert looked[:4] == [True, False, False, False]
    assert 10 < sum(looked) < 50


def test_a_call_within_a_call_is_of_the_same_step_in_whatever_thread() -> None:
    program = Program()
    assert program.pace.begin_call("step")
    for _ in range(3):
        assert program.call("inner")
        assert in_thread(lambda: program.call("python function"))
    program.pace.end_call()
    assert not program.call()
    assert [each.key for each in program.pace.end().looked] == ["step"]


def test_most_calls_that_are_left_out_need_not_begin() -> None:
    program = Program()
    program.seconds = 0.001
    passed = [program.quick_call() for _ in range(2000)]
    assert sum(passed) > 1500
    (looked,) = program.pace.end().looked
    assert looked.steps == 2000
    assert 10 < looked.recorded < 50


def test_a_call_of_another_kind_or_thread_begins_by_itself() -> None:
    program = Program()
    program.seconds = 0.001
    while not program.quick_call():
        pass
    assert not in_thread(program.quick_call)
    while not program.quick_call():
        pass
    assert not program.quick_call("another")
    assert [(each.key, each.recorded) for each in program.pace.end().looked][1] == ("another", 1)


def test_a_kind_in_whose_steps_others_begin_is_not_passed_by() -> None:
    program = Program()
    program.seconds = 0.001
    for _ in range(500):
        assert not program.pace.passes_by("outer")
        program.pace.begin_call("outer")
        in_thread(program.call)
        program.pace.end_call()
    assert [each.key for each in program.pace.end().looked] == ["outer"]


def test_a_step_that_is_recorded_goes_on_while_another_thread_is_in_a_call() -> None:
    program = Program()
    in_thread(lambda: program.call("other"))
    entered, leave = threading.Event(), threading.Event()

    def long_call() -> None:
        program.pace.begin_call("long")
        entered.set()
        leave.wait(10)
        program.pace.end_call()

    program.call()
    thread = threading.Thread(target=long_call)
    thread.start()
    assert entered.wait(10)
    looked = [program.call() for _ in range(20)]
    leave.set()
    thread.join()
    assert looked[:10] == [True] * 10
    assert not looked[-1]


def test_more_bad_numbers_than_ever_have_the_next_steps_recorded() -> None:
    program = Program()
    looked = []
    for number in range(1000):
        looked.append(program.call())
        program.log.count += 5 if looked[-1] and number > 100 else 0
    first = next(number for number, yes in enumerate(looked) if yes and number > 100)
    assert looked[first : first + ALARMED_STEPS + 1] == [True] * (ALARMED_STEPS + 1)
    assert not all(looked[first : first + ALARMED_STEPS + 3])


def test_numbers_that_grow_do_too() -> None:
    program = Program()
    looked = []
    for number in range(1000):
        looked.append(program.call())
        program.log.largest = 1.25 ** max(number - 500, 0)
    growing = looked[500:]
    runs = [length for is_recorded, length in ((key, len([*group])) for key, group in groupby(growing)) if is_recorded]
    assert max(runs) >= ALARMED_STEPS
    assert all(length < ALARMED_STEPS for key, group in groupby(looked[:500]) if key for length in [len([*group])])


def test_what_matters_is_chosen_before_a_step_is_recorded_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    program, told = Program(), []

    class Mattering:
        def choose(self, *, alone: bool) -> None:
            told.append((alone, program.log.pauses))

    looks = iter([Look.ALL, Look.NOTHING, Look.MATTERING, Look.MATTERING, Look.NOTHING, Look.ALL])
    mattering: Any = Mattering()
    program.pace = Pace(0.02, program.log, lambda: program.now, mattering=mattering)
    monkeypatch.setattr(program.pace._budget, "begin", lambda *_: next(looks))
    assert [program.call() for _ in range(6)] == [True, False, True, True, False, True]
    assert told == [(False, 0), (True, 1), (True, 0), (False, 1)]


def test_who_asks_is_told_of_each_change() -> None:
    program = Program()
    told: list[bool] = []
    program.pace.when_changed(told.append)
    looked = [program.call() for _ in range(300)]
    assert told[0] is False
    assert len(told) == sum(before != after for before, after in zip([True, *looked], looked, strict=False))


def test_steps_that_are_no_calls() -> None:
    program = Program()
    looked = []
    for _ in range(500):
        looked.append(program.pace.begin_step("training"))
        program.now += 0.02 if looked[-1] else 0.01
    assert 1 < sum(looked) < 30
    program.pace.begin_call("call")
    before = program.pace.looking
    assert program.pace.begin_step("training") is before


def test_eager_operations_without_steps_make_some_of_their_own() -> None:
    program = Program()
    looked = 0
    for _ in range(5_000_000 // 5):
        program.pace.operation()
        program.now += 3e-5 if program.pace.looking else 1e-5
        looked += program.pace.looking
    assert 5000 <= looked < 60_000


def test_the_note_says_what_was_looked_at() -> None:
    looked = (Looked("train", 9000, 190, 81), Looked("evaluate", 1000, 10, 200))
    assert pace_note(Spent(0.0196, 0.31, looked)) == (
        "200 of 10,000 steps were recorded, which cost about 2.0 % of the program's time, and 0.3 s to make ready; "
        "what began and ended within the others can't be known, of which up to 200 lay in a row"
    )
    assert pace_note(Spent(0.0, 0.0, (Looked("train", 3, 3, 0),))) == ""
    assert pace_note(Spent(0.02, 0.1, (Looked("train", 3000, 20, 81, 1500),))).startswith(
        "20 of 3,000 steps were recorded, and of 1,500 more what matters most: losses, gradients, variables, inputs, "
        "outputs of layers, which cost about 2.0 % of the program's time"
    )


def test_the_budget_is_told_what_recorded_steps_write(monkeypatch: pytest.MonkeyPatch) -> None:
    wrote: list[int] = []
    program = Program()
    monkeypatch.setattr(program.pace._budget, "wrote", wrote.append)
    for _ in range(200):
        if program.call():
            program.log.records += 7
        else:
            program.log.records += 1  # of another thread that is at its end
    program.pace.end()
    assert len(wrote) > 3
    assert set(wrote[1:]) == {7}


def test_the_cost_is_told_once_a_minute_and_at_the_end() -> None:
    program = Program()
    told: list[float] = []
    program.pace = Pace(0.02, program.log, lambda: program.now, tell=told.append)
    while program.now < 59:
        program.call()
    assert told == []
    while program.now < 150:
        program.call()
    assert len(told) == 2
    assert told == pytest.approx([0.02, 0.02], rel=0.1)
    assert program.pace.end().share == told[-1]
    assert len(told) == 3


def test_no_cost_is_told_where_no_step_has_begun() -> None:
    told: list[float] = []
    Pace(0.02, Program().log, tell=told.append).end()
    assert told == []


def ignored(*_: object) -> None:
    """Takes anything."""


def test_arguments_and_results_are_passed_on_and_counted() -> None:
    count = array("q", [0])

    def function(*args: object, **named: object) -> object:
        return args, named

    passing = _native.counted(function, count, 100, ignored, ignored)
    assert passing(1, "two", three=3) == ((1, "two"), {"three": 3})
    assert passing() == ((), {})
    assert count[0] == 2


def test_it_says_so_each_time_that_the_count_is_full() -> None:
    count, times = array("q", [0]), []

    def full() -> None:
        times.append(count[0])
        count[0] = 0

    passing = _native.counted(lambda: None, count, 3, full, ignored)
    for _ in range(7):
        passing()
    assert times == [3, 3]
    assert count[0] == 1


def test_what_is_raised_is_told_and_goes_on_as_it_was() -> None:
    told: list[tuple[object, ...]] = []

    def function(*_: object) -> None:
        raise ValueError("no such number")

    def failed(*given: Any) -> None:
        told.append(given)
        raise RuntimeError("a fault of ours")

    passing = _native.counted(function, array("q", [0]), 9, ignored, failed)
    with pytest.raises(ValueError, match="no such number") as caught:
        passing("a", 2)
    assert told == [(caught.value, "a", 2)]
    assert caught.value.__context__ is None
    assert [frame.name for frame in traceback.extract_tb(caught.tb)][1:] == ["function"]


def test_it_may_be_replaced_while_it_says_that_the_count_is_full() -> None:
    held: list[Any] = []
    held.append(_native.counted(lambda: "ran", array("q", [0]), 1, held.clear, ignored))
    assert held[0]() == "ran"
    assert held == []


def test_it_is_freed_with_what_it_holds() -> None:
    class Holder:
        def full(self) -> None:
            """Refers to itself through what it holds."""

    holder = Holder()
    holder.passing = _native.counted(ignored, array("q", [0]), 9, holder.full, ignored)  # type: ignore[attr-defined]
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None


def test_another_array_is_refused() -> None:
    with pytest.raises(ValueError, match="one 64-bit number"):
        _native.counted(ignored, array("i", [0]), 9, ignored, ignored)
