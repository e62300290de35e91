"""A finite product with a NaN or an infinity is not that product: what is made of it comes of that."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tensordbg
from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf, names, nan
from tests.backends.tensorflow.recorded import record
from tests.e2e.programs.test_session_pipelines import batch_that_trains


@pytest.mark.parametrize("number", [nan, inf, -inf])
@pytest.mark.parametrize("op_type", ["Mul", "AddV2", "Sub"])
def test_what_is_made_of_regrouped_operations_comes_of_what_is_bad(op_type: str, number: float) -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    bad = f.op("Log", f.argument("x"))
    first = f.op(op_type, bad, f.argument("a"))
    second = f.op(op_type, first, f.argument("b"))
    third = f.op(op_type, second, f.argument("c"))
    f.returns(third)
    run = trace.run(f)
    run.event(bad, [number, 1.0])
    run.event(first, [1.0, 2.0])
    run.event(second, [1.0, 2.0])
    run.event(third, [number, 2.0])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.reaches) == ("Log:0", ("output",))


@pytest.mark.parametrize("op_type", ["Maximum", "MulNoNan", "SelectV2"])
def test_an_operation_that_may_drop_a_nan_is_believed(op_type: str) -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    bad = f.op("Log", f.argument("x"))
    dropped = f.op(op_type, bad, f.argument("a"))
    result = f.op("Sqrt", dropped)
    f.returns(result)
    run = trace.run(f)
    run.event(bad, [nan, 1.0])
    run.event(dropped, [-1.0, 2.0])
    run.event(result, [nan, 2.0])
    assert names(why(trace)) == ["Sqrt:0", "Log:0"]


def test_what_is_divided_by_an_infinity_is_finite() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    bad = f.op("Exp", f.argument("x"))
    share = f.op("RealDiv", f.argument("a"), bad)
    result = f.op("Log", share)
    f.returns(result)
    run = trace.run(f)
    run.event(bad, [inf, 1.0])
    run.event(share, [0.0, 2.0])
    run.event(result, [-inf, 2.0])
    assert sorted(names(why(trace))) == ["Exp:0", "Log:0"]


def test_what_an_identity_handed_on_is_what_it_was() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    bad = f.op("Log", f.argument("x"))
    product = f.op("Mul", f.op("Identity", bad), f.argument("a"))
    result = f.op("Mul", product, f.argument("b"))
    f.returns(result)
    run = trace.run(f)
    run.event(bad, [inf])
    run.event(product, [1.0])
    run.event(result, [inf])
    assert names(why(trace)) == ["Log:0"]


def test_of_nothing_comes_no_nan() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    bad = f.op("Log", f.argument("x"))
    empty = f.op("Mul", bad, f.argument("a"))
    result = f.op("Mean", empty)
    f.returns(result)
    run = trace.run(f)
    run.event(bad, [nan])
    run.event(empty, np.zeros([0]))
    run.event(result, nan)
    assert names(why(trace)) == ["Mean:0", "Log:0"]


def test_what_is_returned_is_as_it_was_recorded() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    bad = f.op("Log", f.argument("x"))
    result = f.op("Mul", bad, f.argument("a"))
    f.returns(result)
    run = trace.run(f)
    run.event(bad, [nan])
    run.event(result, [0.0])
    (origin,) = why(trace).origins
    assert not origin.consequential


def test_gradients_that_a_session_regroups(tmp_path: Path) -> None:
    trace = tensordbg.open(record(tmp_path, batch_that_trains).reader.path)
    origins = [origin for origin in trace.why().origins if origin.consequential]
    assert [origin.view.op_type for origin in origins] == ["RealDiv"]
    assert {"loss", "gradient", "variable"} <= set(origins[0].reaches)
