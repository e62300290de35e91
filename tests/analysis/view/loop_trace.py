"""Two steps of a function with a loop, and eager code around them; the last turn of the second step goes wrong."""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.analysis.view.opened import OpenedTrace
from tests.analysis.builder import TraceBuilder, nan
from tests.analysis.view.built import opened_builder

TURNS = 3


@dataclass(frozen=True)
class LoopTrace:
    """The trace and the numbers of its events by step and name."""

    opened: OpenedTrace
    events: dict[tuple[int, str], int]

    def of(self, step: int, name: str) -> int:
        return self.events[step, name]


def loop_trace() -> LoopTrace:
    """step(x): y = x + 1; while: y = exp(y); return y * 2, called with an eager value whose result is used eagerly."""
    trace = TraceBuilder(["import tensorflow as tf"] * 40)
    body, cond = trace.function("while_body_3"), trace.function("while_cond_2")
    inside = body.argument("inside")
    exp = body.op("Exp", inside, name="model/Exp")
    body.returns(exp)
    less = cond.op("Less", cond.argument("tested"), dtype="bool")
    cond.returns(less)
    step = trace.function("step")
    x = step.argument("x")
    y = step.op("AddV2", x, name="y")
    (looped,) = step.loop(cond, body, y)
    doubled = step.op("Mul", looped, looped, name="doubled")
    step.returns(doubled)
    events: dict[tuple[int, str], int] = {}
    for number in range(2):
        given = trace.eager("RandomUniform", values=[1.0 + number])
        events[number, "given"] = len(trace.events) - 1
        run = trace.run(step, trace.output(given))
        events[number, "y"] = run.event(y, [2.0])
        for turn in range(TURNS):
            bad = number == 1 and turn == TURNS - 1
            values = [nan if bad else 3.0 + turn]
            events[number, f"exp{turn}"] = run.event(exp, values, "while/body/_5", frame=1, iteration=turn)
        events[number, "doubled"] = run.event(doubled, [nan if number else 9.0])
        trace.eager("Neg", trace.output(run), values=[nan if number else -9.0])
        events[number, "neg"] = len(trace.events) - 1
    return LoopTrace(opened_builder(trace), events)
