from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from tensordbg.analysis.view.table.callers import OTHERS, callers_of
from tensordbg.model import NONE, Frame, Function


def program_of(names: dict[int, str], backward: dict[int, list[str]] | None = None) -> Any:
    """Functions by number; those in `backward` have sites, each with what it says of the backward pass."""
    functions = {number: Function(number, name, name, number) for number, name in names.items()}
    sites = {
        number: tuple(SimpleNamespace(backward=word, called=()) for word in words)
        for number, words in (backward or {}).items()
    }
    return SimpleNamespace(
        functions=functions, sites_of_graph=sites, called_by=lambda site: list(site.called), sites={}, stacks={}
    )


def traced(program: Any, execution_functions: list[int], of_events: list[int], sites: list[int] | None = None) -> Any:
    executions = SimpleNamespace(
        number=np.arange(10, 10 + len(execution_functions)), function=np.array(execution_functions, dtype=np.int64)
    )

    class Executions(SimpleNamespace):
        def __len__(self) -> int:
            return len(self.number)

    of_sites = np.arange(len(of_events)) if sites is None else np.array(sites)
    columns = SimpleNamespace(whole=lambda name: np.array(of_events) if name == "execution" else of_sites)
    return SimpleNamespace(program=program, executions=Executions(**vars(executions)), columns=columns)


def test_in_the_order_in_which_they_come_first() -> None:
    opened = traced(program_of({1: "train", 2: "evaluate"}), [2, 1, NONE], [11, 10, 10, 12, 99])
    found = callers_of(opened, np.arange(5))
    assert found.titles == ("train", "evaluate", "")
    assert found.of.tolist() == [0, 1, 1, 2, 2]


def test_functions_of_one_name_are_told_apart() -> None:
    program = program_of({1: "step", 2: "step", 3: "step"}, {1: ["", "MatMul"], 2: [""], 3: [""]})
    opened = traced(program, [1, 2, 3], [10, 11, 12])
    assert callers_of(opened, np.arange(3)).titles == ("step, training", "step", "step, trace 2")


def test_a_function_trains_that_calls_one_that_does() -> None:
    program = program_of({1: "step", 2: "step", 3: "inner"}, {3: ["MatMul"], 2: [""]})
    program.sites_of_graph[1] = (SimpleNamespace(backward="", called=(None, program.functions[3])),)
    program.sites_of_graph[3] += (SimpleNamespace(backward="", called=(program.functions[1],)),)
    opened = traced(program, [1, 2], [10, 11])
    assert callers_of(opened, np.arange(2)).titles == ("step, training", "step")


def test_a_program_of_many_functions_has_a_rest() -> None:
    names = {number: f"f{number}" for number in range(12)}
    events = [10 + number for number in range(12) for _ in range(2 if number in (4, 9) else 1)]
    found = callers_of(traced(program_of(names), list(range(12)), events), np.arange(len(events)))
    assert found.titles[-1] == OTHERS
    assert len(found.titles) == 9
    assert {"f4", "f9"} <= set(found.titles)


def test_eager_code_is_told_apart_by_its_lines() -> None:
    program = program_of({1: "step"})
    program.stacks = {
        number: (Frame("/me/train.py", line, "fit", True), Frame("/lib/module.py", number, "call", False))
        for number, line in enumerate((15, 15, 19))
    }
    program.sites = {number: SimpleNamespace(stack=number) for number in program.stacks}
    opened = traced(program, [NONE] * 4 + [1], [10, 11, 12, 13, 14], [0, 2, 1, 2, 0])
    found = callers_of(opened, np.arange(5))
    assert found.titles == ("train.py:15", "train.py:19", "step")
    assert found.of.tolist() == [0, 1, 0, 1, 2]
    # One line alone needs no name.
    assert callers_of(opened, np.array([0, 2, 4])).titles == ("", "step")


def test_without_executions() -> None:
    opened = traced(program_of({}), [], [NONE, NONE])
    assert callers_of(opened, np.arange(2)).titles == ("",)
    assert replace(callers_of(opened, np.arange(2)), titles=()).of.tolist() == [0, 0]
