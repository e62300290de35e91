from __future__ import annotations

import warnings
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tensordbg.backends.torch.debug.runs import Runs
from tensordbg.recording.runs import DebuggedCall

torch = pytest.importorskip("torch")


class Watch:
    """Keeps what it is told."""

    each_operation = False

    def __init__(self) -> None:
        self.told: list[str] = []

    def before(self, run: DebuggedCall) -> bool:
        self.told.append(f"before {run.function.name}")
        return True

    def after(self, run: DebuggedCall, execution: int, error: BaseException | None) -> None:
        self.told.append(f"after {run.function.name}: {type(error).__name__ if error else execution}")

    def ran(self, execution: int) -> None:
        raise AssertionError(execution)

    def operation(self, site: int, execution: int, caller: Any) -> None:
        raise AssertionError((site, execution, caller))


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture(autouse=True)
def runs(watch: Watch) -> Iterator[Runs]:
    recorder: Any = SimpleNamespace(active=True)
    runs = Runs(recorder, watch)
    runs.install()
    yield runs
    runs.uninstall()


def test_a_gradient_and_a_step_are_runs(watch: Watch) -> None:
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w])
    (w * 2).sum().backward()
    optimizer.step()
    assert watch.told == ["before backward", "after backward: -1", "before SGD.step", "after SGD.step: -1"]


def test_what_a_run_calls_is_part_of_it(watch: Watch) -> None:
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w])

    def closure() -> Any:
        loss = (w * 2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert watch.told == ["before SGD.step", "after SGD.step: -1"]


def test_modules_are_told_of_where_they_are_outermost(watch: Watch, runs: Runs) -> None:
    outer, inner = torch.nn.Sequential(), torch.nn.ReLU()

    def call(module: Any, *calls: Any) -> None:
        def hooks() -> None:
            runs.before_module(module)
            for each in calls:
                each()
            runs.after_module(module)

        hooks()

    call(outer, lambda: call(inner))
    call(inner)
    assert watch.told == ["before Sequential", "after Sequential: -1", "before ReLU", "after ReLU: -1"]


def test_an_error_is_told(watch: Watch) -> None:
    with pytest.raises(RuntimeError):
        torch.ones(2).backward()
    assert watch.told == ["before backward", "after backward: RuntimeError"]


def test_a_run_that_was_left_without_a_word_is_over(watch: Watch, runs: Runs) -> None:
    def hook() -> None:
        runs.before_module(torch.nn.Identity())

    def left() -> None:
        hook()

    left()
    torch.ones(2, requires_grad=True).sum().backward()
    assert watch.told == [
        "before Identity",
        "after Identity: KeyboardInterrupt",
        "before backward",
        "after backward: -1",
    ]


def test_nothing_is_told_behind_it(watch: Watch, runs: Runs) -> None:
    runs.uninstall()
    torch.ones(2, requires_grad=True).sum().backward()
    assert watch.told == []


def test_dynamo_leaves_us_out_of_a_backward_pass_in_compiled_code(watch: Watch) -> None:
    w = torch.ones(2, requires_grad=True)

    @torch.compile(backend="eager")
    def train(x: Any) -> Any:
        loss = (w * x).sum()
        loss.backward()
        return loss

    frames = torch._dynamo.utils.counters["frames"]
    frames.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Dynamo asks for the gradient of a tensor that is no leaf
        train(torch.ones(2))
        train(torch.ones(2) * 2)
    assert watch.told == ["before backward", "after backward: -1"] * 2
    assert frames["total"] <= 3, "of the program's function: before the backward pass, and behind it, and its call"
