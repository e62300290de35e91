from __future__ import annotations

from typing import Any

import pytest

from tensordbg.backends.torch.program.steps import Steps
from tensordbg.backends.torch.program.variables import Variables
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.guard import guarded

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def _raise(_: str, error: BaseException) -> None:
    raise error


class Recorder:
    """Counts, and leaves every other step out."""

    def __init__(self) -> None:
        self.step = -1
        self.facts: list[Any] = []
        self.pace: object = None
        self.watch: object = None
        self.passes = 0

    def passing_training_steps(self, _: str) -> Any:
        return self._passes

    def _passes(self) -> bool:
        self.passes -= 1
        return self.passes >= 0

    def training_step(self, _: str) -> int:
        self.step += 1
        return self.step if self.step % 2 == 0 else -1

    def guard(self, what: str) -> Any:
        return guarded(what, _raise)

    def fact(self, row: Any) -> None:
        self.facts.append(row)


class Observer:
    def __init__(self) -> None:
        self.steps: list[int] = []
        self.updating: list[bool] = []

    def set_step(self, step: int) -> None:
        self.steps.append(step)

    def set_updating(self, updating: bool) -> None:
        self.updating.append(updating)


def steps_of(looks: list[bool]) -> Steps:
    return Steps(Variables(Catalog()), looks.append)


def test_each_step_of_any_optimizer_ends_a_step() -> None:
    steps, observer = steps_of([]), Observer()
    recorder: Any = Recorder()
    steps.install(recorder, observer)  # type: ignore[arg-type]
    parameter = torch.nn.Parameter(torch.ones(2))
    parameter.grad = torch.ones(2)
    try:
        torch.optim.SGD([parameter], lr=0.1).step()
        torch.optim.Adam([parameter], lr=0.1).step()
    finally:
        steps.uninstall()
    torch.optim.SGD([parameter], lr=0.1).step()
    assert observer.steps == [0, -1, 2]
    assert observer.updating == [True, False] * 2


@pytest.mark.parametrize("chosen_by", ["", "pace", "watch"])
def test_the_observer_rests_in_steps_that_are_left_out(chosen_by: str) -> None:
    looks: list[bool] = []
    steps, recorder = steps_of(looks), Recorder()
    if chosen_by:
        setattr(recorder, chosen_by, object())
    steps.install(recorder, Observer())  # type: ignore[arg-type]
    parameter = torch.nn.Parameter(torch.ones(2))
    parameter.grad = torch.ones(2)
    optimizer = torch.optim.SGD([parameter], lr=0.1)
    try:
        for _ in range(3):
            optimizer.step()
    finally:
        steps.uninstall()
    assert looks == ([] if chosen_by else [False, True, False])


def test_nothing_is_done_in_steps_that_a_budget_passes_by() -> None:
    steps, observer, recorder = steps_of([]), Observer(), Recorder()
    steps.install(recorder, observer)  # type: ignore[arg-type]
    parameter = torch.nn.Parameter(torch.ones(2))
    parameter.grad = torch.ones(2)
    optimizer = torch.optim.SGD([parameter], lr=0.1)
    try:
        recorder.passes = 3
        for _ in range(5):
            optimizer.step()
    finally:
        steps.uninstall()
    # The first is begun before, the next two and the end of the fourth are passed by.
    assert observer.updating == [True, False, True, False]
    assert observer.steps == [0, -1, 2]


def test_optimizers_are_noted_as_they_are_set_in_the_steps_that_are_recorded() -> None:
    steps, recorder = steps_of([]), Recorder()
    steps.install(recorder, Observer())  # type: ignore[arg-type]
    first, second = (torch.nn.Parameter(torch.ones(2)) for _ in range(2))
    optimizer = torch.optim.SGD([{"params": [first]}, {"params": [second], "lr": torch.tensor(0.2)}], lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    try:
        for _ in range(4):
            optimizer.step()
            schedule.step()
    finally:
        steps.uninstall()
    rows = [row["optimizer"] for row in recorder.facts]
    assert [(row["step"], row["group"], row["settings"].get("lr")) for row in rows] == [
        *((0, 0, 0.1), (0, 1, 0.2)),  # a tensor, which a schedule writes into
        *((2, 0, 0.05), (2, 1, 0.1)),
    ]
    assert {row["type"] for row in rows} == {"SGD"}
    assert [row["variables"] for row in rows[:2]] == [[0], [1]]
