from __future__ import annotations

import json

import numpy as np

from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.recorded import RecordedPast, with_variable
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.program.events import read_executions
from tests.analysis.builder import TraceBuilder


def past_of(trace: TraceBuilder, row: int) -> tuple[RecordedPast, Program]:
    program = read_program(trace)
    return RecordedPast(trace, program, read_executions(trace, program), row), program


def test_the_past_of_an_eager_operation_goes_into_the_functions_that_made_its_inputs() -> None:
    trace = TraceBuilder()
    given = trace.eager("Fill", values=np.ones([4, 2]))
    step = trace.function("step")
    x = step.argument("x")
    shaped = step.op("Reshape", x, name="shaped")
    step.returns(shaped)
    run = trace.run(step, trace.output(given))
    run.event(x, np.ones([4, 2]))
    run.event(shaped, np.ones([2, 4]))
    failed = trace.eager("MatMul", trace.output(run), trace.output(given))
    past, program = past_of(trace, failed.number - 1)
    site = program.sites[trace.executions[failed.number - 1]["site"]]
    first, second = past.failed_inputs(site)
    assert first is not None
    assert second is not None
    assert (first.tensor, first.shape) == ("shaped:0", (2, 4))
    assert (second.tensor, second.shape) == ("Fill:0", (4, 2))
    (source,) = past.inputs(first)
    assert source == second
    assert past.inputs(second) == []


def test_the_failed_turn_of_an_operation_is_the_one_that_gave_nothing() -> None:
    trace = TraceBuilder()
    step = trace.function("step")
    x = step.argument("x")
    twice = step.op("Mul", x, dtype="int32")
    picked = step.op("GatherV2", x, twice)
    trace.run(step).event(x, [1.0])
    run = trace.run(step)
    run.event(x, [1.0])
    run.event(twice, [2, 14])
    past, program = past_of(trace, 1)
    _, index = past.failed_inputs(program.sites[picked.site])
    assert index is not None
    assert (index.tensor, index.low, index.high) == ("Mul:0", 2.0, 14.0)


def test_an_operation_that_gave_something_did_not_fail() -> None:
    trace = TraceBuilder()
    step = trace.function("step")
    x = step.argument("x")
    picked = step.op("GatherV2", x)
    run = trace.run(step)
    run.event(x, [1.0])
    run.event(picked, [1.0])
    past, program = past_of(trace, 0)
    assert past.failed_inputs(program.sites[picked.site]) == []


def test_a_constant_is_known_without_an_event() -> None:
    trace = TraceBuilder()
    step = trace.function("step")
    x = step.argument("x")
    two = step.op("Const", attributes=json.dumps({"value": [2, 3]}))
    ragged = step.op("Const", attributes=json.dumps({"value": [[2], [3, 4]]}))
    picked = step.op("Mul", x, two, ragged)
    trace.run(step).event(x, [1.0])
    past, program = past_of(trace, 0)
    _, known, other = past.failed_inputs(program.sites[picked.site])
    assert known is not None
    assert other is not None
    assert (known.shape, known.low, known.high) == ((2,), 2.0, 3.0)
    assert (other.shape, other.low) == (None, None)


def test_other_shapes_that_came_out_of_a_pipeline_before() -> None:
    trace = TraceBuilder()
    first = trace.eager("IteratorGetNext", values=np.ones([4, 2]))
    site = trace.executions[0]["site"]
    last = trace.eager("IteratorGetNext", values=np.ones([2, 2]), site=site)
    failed = trace.eager("Sub", trace.output(last))
    past, program = past_of(trace, failed.number - 1)
    (batch,) = past.failed_inputs(program.sites[trace.executions[failed.number - 1]["site"]])
    assert batch is not None
    assert batch.earlier == ((4, 2),)
    assert first.step == 0


def test_a_write_is_given_the_variable() -> None:
    trace = TraceBuilder()
    weights, odd = trace.variable("weights", "[4, 2]"), trace.variable("odd", "null")
    step = trace.function("step")
    x = step.argument("x")
    right, wrong = step.write(weights, x, x), step.write(odd, x, x)
    program = read_program(trace)
    made = Made(0, "x:0", "Placeholder", "float32", (2, 2), None)
    first, second = with_variable([None, made], program.sites[right.site], program)
    assert first is not None
    assert (first.tensor, first.shape) == ("weights", (4, 2))
    assert second == made
    assert with_variable([None, made], program.sites[wrong.site], program) == [None, made]
