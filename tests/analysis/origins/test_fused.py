"""What a compiled kernel keeps to itself is said to have been run again, or not to be known."""

from __future__ import annotations

import json

from tensordbg.analysis.why import why
from tensordbg.model import FUSED
from tests.analysis.builder import FILE, TraceBuilder, inf

_FUSED = json.dumps({FUSED: True})


def test_an_origin_inside_of_a_kernel_was_run_again() -> None:
    trace = TraceBuilder()
    step = trace.function("step")
    given = step.op("Input")
    made = step.op("aten::log", given, line=7, attributes=_FUSED)
    step.returns(made)
    run = trace.run(step)
    run.event(given, [1.0, 0.0])
    run.event(made, [0.0, -inf])
    (note,) = why(trace).notes
    assert note.startswith(
        f"aten::log:0 (aten::log, {FILE}:7) was computed inside a fused kernel of compiled code; its"
    )


def test_what_could_not_be_run_again_is_listed() -> None:
    trace = TraceBuilder()
    step = trace.function("step")
    given = step.op("Input")
    hidden = step.op("aten::log", given, attributes=_FUSED)
    made = step.op("aten::sum", hidden, line=7)
    step.returns(made)
    run = trace.run(step)
    run.event(given, [1.0, 0.0])
    run.event(made, [-inf])
    (note,) = why(trace).notes
    assert "together with aten::log; these could not be run again" in note


def test_a_branch_in_compiled_code_is_said_not_to_be_seen_inside() -> None:
    trace = TraceBuilder()
    step = trace.function("step")
    given = step.op("Input")
    made = step.op("cond", given, line=7, framework="torch")
    step.returns(made)
    run = trace.run(step)
    run.event(given, [1.0, 0.0])
    run.event(made, [0.0, -inf])
    (note,) = why(trace).notes
    assert note.startswith(f"cond:0 (cond, {FILE}:7) runs as a whole in compiled code")
