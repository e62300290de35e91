from __future__ import annotations

from pathlib import Path

from tensordbg.console.console import Console
from tensordbg.console.pages.page import Page, Place, texts
from tensordbg.console.running import Stop, StopKind
from tests.console.recorded import still


def opening(console: Console) -> tuple[Page, str]:
    page = console.opening()
    return page, "\n".join([page.title, *texts(page)])


def test_a_trace_tells_what_it_holds(console: Console) -> None:
    page, said = opening(console)
    assert page.command == "run_info"
    assert "| list_tensors | lt -f non_finite | why | run_info | help |" in said
    assert "Log:0 in train_step() produced the first -inf" in said
    assert page.event is not None
    assert "not finite; `why` tells why" in said
    assert console.pages.shown is page


def test_before_a_run_what_can_be_done(trained: Path) -> None:
    stop = Stop(StopKind.BEFORE, 3, "train_step(x, y)", feeds=("x:0",), place=Place("/a/train.py", 9))
    page, said = opening(still(trained, 2, stop))
    assert page.title == "run-start: run #3: train_step(x, y)"
    assert page.place == Place("/a/train.py", 9)
    for each in ("Call #3: train_step(x, y)", "Called at: train.py:9", "  run -f <filter_name>", "has_inf_or_nan"):
        assert each in said


def test_behind_a_run_its_tensors(standing: Console) -> None:
    page, said = opening(standing)
    assert page.title == "run-end: run #2: train_step(x, y)"
    assert "tensors of run 2:" in said
    assert page.command == "list_tensors"
    assert page.mood == ""


def test_where_a_filter_stopped_it_what_passes(standing: Console, trained: Path) -> None:
    known = standing.runner
    assert known is not None
    stop = Stop(StopKind.AFTER, 2, "train_step(x, y)", known.executions[2], filter="has_inf_or_nan")
    page, said = opening(still(trained, 2, stop))
    assert page.mood == "bad"
    assert page.command == "list_tensors -f has_inf_or_nan"
    assert 'tensors of run 2 passing filter "has_inf_or_nan":' in said


def test_a_run_that_was_not_recorded_has_nothing_to_list(trained: Path) -> None:
    page, said = opening(still(trained, 0, Stop(StopKind.AFTER, 1, "train_step(x, y)")))
    assert page.title == "run-end: run #1: train_step(x, y)"
    assert said


def test_where_it_raised_the_operation(trained: Path) -> None:
    stop = Stop(
        StopKind.ERROR, 2, "train_step(x, y)", exception="InvalidArgumentError: bad\nsecond line", operation="Log"
    )
    page, said = opening(still(trained, 2, stop))
    assert page.mood == "bad"
    assert page.title == "run-error: run #2: train_step(x, y)"
    for each in ("!!! An error occurred during the run !!!", "ni -a -d -t Log", "Op name:    Log",
                 "Error type: InvalidArgumentError", "  second line", "[Softmax] Softmax:0"):  # fmt: skip
        assert each in said
