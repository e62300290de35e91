"""A finding holds everything that the report and the JSON say."""

from __future__ import annotations

from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf


def test_finding() -> None:
    trace = TraceBuilder(["", "", "y = tf.math.log(x)"])
    f = trace.function("train_step")
    x = f.argument("x")
    log = f.op("Log", x, line=3, within="loss")
    double = f.op("Mul", log, log)
    f.returns(double)
    for low in (2.0, 1.0, 0.0):
        run = trace.run(f)
        run.event(x, [[low, 1.0]])
        run.event(log, [[-inf if not low else 1.0, 0.0]])
        run.event(double, [[inf if not low else 1.0, 0.0]])
    (origin,) = why(trace).origins
    assert (origin.view.execution, origin.view.step, origin.first_bad_index) == (3, 2, (0, 0))
    assert origin.source is not None
    assert (origin.source.text, origin.source.function) == ("y = tf.math.log(x)", "loss")
    assert [line.user for line in origin.stack] == [True, True, False]
    assert [history.tensor for history in origin.history] == ["Log:0", "x:0"]
    assert [view.step for view in origin.history[1].past] == [0, 1]
    assert [view.health.min for view in origin.history[1].past if view.health] == [1.0, 1.0]
    assert [view.tensor for view in origin.spread] == ["Mul:0"]
    assert (origin.occurrences, origin.consequential) == (1, True)
