"""Single tensors with all that is recorded of them."""

from __future__ import annotations

import math

import numpy as np

from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.details import Details, health_of
from tensordbg.model import SOMEWHERE
from tests.analysis.builder import TraceBuilder, nan


def test_views() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.op("Mul", name="scope/Mul")
    run = trace.run(f)
    run.event(x, [[1.0, 2.0], [nan, 4.0]], frame=3, iteration=2)
    run.event(x, nan)
    details = Details(trace, read_program(trace))
    views = details.views({0, 1})
    view = views[0]
    assert (view.tensor, view.op_name, view.op_type, view.function) == ("scope/Mul:0", "scope/Mul", "Mul", "f")
    assert (view.execution, view.step, view.iteration, view.shape, view.dtype) == (1, 0, 2, (2, 2), "float32")
    assert view.health is not None
    assert (view.health.size, view.health.nan, view.health.positive, view.health.first_bad) == (4, 1, 3, 2)
    assert view.health.mean == 7 / 3
    assert views[1].iteration is None
    assert views[1].health is not None
    assert math.isnan(views[1].health.max)
    assert details.scalars(np.array([0, 1])).tolist() == [False, True]
    lowest, highest = details.range_of(np.array([0]))
    assert (lowest.tolist(), highest.tolist()) == ([1.0], [4.0])


def test_the_function_of_eager_code() -> None:
    trace = TraceBuilder()
    trace.eager("Neg", values=[1.0], within="main")
    assert Details(trace, read_program(trace)).views({0})[0].function == "main"


def test_health_that_was_measured_in_part() -> None:
    row = dict.fromkeys(("positive", "negative", "zero", "subnormal", "min", "max", "sum", "sum_squares"))
    health = health_of({**row, "size": 4, "neg_inf": 0, "pos_inf": 1, "nan": 0, "first_bad": SOMEWHERE})
    assert health is not None
    assert (health.size, health.pos_inf, health.first_bad) == (4, 1, SOMEWHERE)
    assert set(health.unmeasured) == set(row)
    assert math.isnan(health.std)


def test_no_health_where_nothing_was_counted() -> None:
    assert health_of({"size": 4, "nan": None}) is None
    assert health_of({"size": None, "nan": None, "first_bad": SOMEWHERE}) is None
