"""Earlier tensors of the same operation: of the executions before, else of the turns before."""

from __future__ import annotations

from tensordbg.analysis.flow.history import LENGTH, earlier_events, earlier_iterations
from tensordbg.model import NONE
from tests.analysis.builder import TraceBuilder, located


def test_one_of_each_earlier_execution() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    wanted = []
    for _ in range(LENGTH + 5):
        run = trace.run(f)
        run.event(x, [1.0], path="", frame=9, iteration=0)
        wanted.append(run.event(x, [1.0], path="", frame=9, iteration=1))
    values = located(trace)
    assert earlier_events(values, wanted[-1]) == wanted[-1 - LENGTH : -1]


def test_turns_of_one_execution() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    run = trace.run(f)
    events = [run.event(x, [1.0], frame=9, iteration=turn) for turn in range(4)]
    assert earlier_events(located(trace), events[-1]) == events[:-1]


def test_iterations_of_a_later_execution() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    runs = [trace.run(f) for _ in range(2)]
    events = [[run.event(x, [1.0], frame=9, iteration=turn) for turn in range(4)] for run in runs]
    values = located(trace)
    assert earlier_iterations(values, events[1][-1]) == events[1][:-1]
    assert earlier_events(values, events[1][-1]) == events[0][-1:]


def test_not_of_another_place() -> None:
    trace = TraceBuilder()
    inner, f = trace.function("inner"), trace.function("f")
    a = inner.op("Neg", inner.argument("a"))
    inner.returns(a)
    x = f.argument("x")
    f.call(inner, x)
    f.call(inner, x)
    for _ in range(2):
        run = trace.run(f)
        run.event(a, [1.0], path="PartitionedCall")
        last = run.event(a, [2.0], path="PartitionedCall_1")
    assert earlier_events(located(trace), last) == [1]


def test_of_one_line_only_what_was_made_from_the_same() -> None:
    trace = TraceBuilder()
    numbers = [trace.site(NONE, "Input", "Input", (), {"dtypes": ["float32"]}) for _ in range(2)]
    difference, log = (trace.site(NONE, name, name, (), {"dtypes": ["float32"]}) for name in ("Sub", "Log"))
    logs = []
    for step in range(6):
        given = trace.eager("Input", values=[1.0], site=numbers[step % 2])
        made = trace.eager("Sub", trace.output(given), values=[0.5], site=difference)
        for each in (made, given):
            logs.append(len(trace.events))
            trace.eager("Log", trace.output(each), values=[float(step)], site=log)
    values = located(trace)
    assert earlier_events(values, logs[-2]) == logs[-4::-2][::-1]
    assert earlier_events(values, logs[-1]) == logs[-3::-2][::-1]
