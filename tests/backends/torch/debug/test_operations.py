from __future__ import annotations

import os
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tensordbg.backends.torch.debug.operations import Operations, elements

torch = pytest.importorskip("torch")


class Observer(ModuleType):
    """Stands for the compiled one."""

    def __init__(self) -> None:
        super().__init__("observer")
        self.told: tuple[Any, ...] = ()

    def tell_debugger(self, *told: Any) -> None:
        self.told = told


class Lines:
    """Keeps what is about to run; ends the program at `exp`."""

    wants_operations = True

    def __init__(self) -> None:
        self.before: list[tuple[str, str]] = []

    def before_operation(self, operation: Any) -> None:
        self.before.append((operation.name, operation.caller.f_code.co_name))
        if operation.name == "exp":
            raise SystemExit(7)


class Runs:
    """A watch that wants to know of all operations."""

    each_operation = True

    def __init__(self) -> None:
        self.behind: list[tuple[int, int]] = []
        self.all: list[int] = []

    def ran(self, execution: int) -> None:
        self.all.append(execution)

    def operation(self, site: int, execution: int, _caller: Any) -> None:
        self.behind.append((site, execution))


def told() -> tuple[Any, Any, Any]:
    recorder: Any = SimpleNamespace(lines=Lines(), watch=Runs(), warn=pytest.fail)
    observer = Observer()
    Operations(recorder).install(observer)
    return recorder, *observer.told


def test_operations_are_told_of_before_and_behind() -> None:
    recorder, before, behind = told()
    assert before("log", []) is None
    assert behind(3, 4) is None
    assert recorder.lines.before == [("log", "test_operations_are_told_of_before_and_behind")]
    assert recorder.watch.behind == [(3, 4)]
    assert recorder.watch.all == [4]


def test_what_ends_the_program_is_returned_to_be_raised() -> None:
    _, before, _ = told()
    leaving = before("exp", [])
    with pytest.raises(SystemExit) as raised:
        raise leaving
    assert raised.value.code == 7


def test_nobody_is_told_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder, before, behind = told()
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert (before("log", []), behind(3, 4)) == (None, None)
    assert (recorder.lines.before, recorder.watch.behind) == ([], [])


def test_an_observer_without_a_word_for_it_is_warned_of() -> None:
    said: list[str] = []
    recorder: Any = SimpleNamespace(lines=None, watch=None, warn=said.append)
    Operations(recorder).install(ModuleType("observer"))
    assert len(said) == 1
    assert said[0].startswith("the program stops at no line")


def test_elements_are_those_of_tensors() -> None:
    assert elements(torch.nn.Parameter(torch.ones(2))).tolist() == [1.0, 1.0]
    assert elements([1.0]) is None
