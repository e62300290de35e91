"""Growth: step by step, by orders of magnitude, without a break."""

from __future__ import annotations

import pytest

from tensordbg.analysis.finding import History, InputView
from tensordbg.analysis.growth import find_growth
from tests.analysis.causes.cases import view


def growth_of(values: list[float]) -> tuple[float, ...]:
    views = [view("x:0", [value]) for value in values]
    found = find_growth([InputView("x:0", "Op", views[-1])], [History("x:0", tuple(views[:-1]))])
    return found.magnitudes if found else ()


@pytest.mark.parametrize(
    ("values", "run"),
    [
        ([1.0, 10.0, 100.0, 1000.0], (1.0, 10.0, 100.0, 1000.0)),
        ([1.0, -10.0, 100.0, -1000.0], (1.0, 10.0, 100.0, 1000.0)),
        ([5.0, 1.0, 10.0, 100.0, 1000.0], (1.0, 10.0, 100.0, 1000.0)),
        ([1.0, 10.0, 100.0], ()),  # too few
        ([1.0, 1.1, 1.2, 1.3, 1.4], ()),  # too little
        ([1.0, 10.0, 100.0, 1000.0, 900.0], ()),  # it had stopped
        ([1.0, 1.0, 1.0, 1e30], ()),  # a jump is no growth
        ([0.0, 0.0, 1.0, 1e30], ()),
    ],
)
def test_runs(values: list[float], run: tuple[float, ...]) -> None:
    assert growth_of(values) == run


def test_an_input_that_was_not_recorded() -> None:
    assert find_growth([InputView("x:0", "Op", None)], [History("x:0", ())]) is None
