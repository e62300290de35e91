"""Assignments are read from a program's text, one for each name."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.program.assignments import Statement, statements_of
from tensordbg.analysis.program.call_results import ANY_NUMBER
from tensordbg.analysis.program.description import Program
from tensordbg.model import Frame

TEXT = """
total = 0
def step(x):
    for _ in range(3):
        x += (
            f(x)
        )
    a, (b, c) = f(x), (g(x), 1)
    first, *rest = h(x)
    return (last := x)
"""


def statements() -> dict[str, Statement]:
    return {
        each.name: each
        for each in statements_of(Program({}, {}, {}, {"p.py": TEXT}, {}, {}, np.zeros((0, 4), np.int64)), "p.py")
    }


def test_each_name_has_its_statement() -> None:
    found = statements()
    assert list(found) == ["total", "x", "a", "b", "c", "first", "last"]
    assert found["total"].function == "<module>"
    assert found["x"].is_repeated
    assert found["x"].lines == range(5, 8)
    assert not found["a"].is_repeated


def test_several_values_or_the_results_of_one_call() -> None:
    found = statements()
    assert [(found[name].place, found[name].targets) for name in "abc"] == [(0, 3), (1, 3), (2, 3)]
    assert (found["first"].targets, found["first"].unpacked) == (0, ANY_NUMBER)


def test_frames_that_stand_in_it() -> None:
    of_x = statements()["x"]
    assert of_x.is_at(Frame("p.py", 6, "step", user=True))
    assert not of_x.is_at(Frame("p.py", 8, "step", user=True))
    assert not of_x.is_at(Frame("p.py", 6, "f", user=True))
