"""From a bad batch back through the input pipeline to the operation, or the data, that it came from."""

from __future__ import annotations

from tensordbg.analysis.finding import WhyResult
from tensordbg.analysis.why import why
from tests.analysis.builder import Graph, TraceBuilder, inf, names, nan

INSIDE = -1
"""The execution of what a pipeline's functions compute."""


def taking(trace: TraceBuilder) -> tuple[Graph, object, object]:
    """A training step that takes a batch and sums it up."""
    step = trace.function("step")
    batch = step.op("IteratorGetNext")
    total = step.op("Sum", batch)
    step.returns(total)
    return step, batch, total


def causes(result: WhyResult) -> list[str]:
    return [origin.verdict.cause for origin in result.origins]


def test_a_batch_from_nowhere_is_bad_input() -> None:
    trace = TraceBuilder()
    step, batch, total = taking(trace)
    run = trace.run(step)
    run.event(batch, [[1.0, 2.0], [nan, 1.0]])
    run.event(total, nan)
    result = why(trace)
    assert (names(result), causes(result)) == (["IteratorGetNext:0"], ["bad_input_data"])
    assert "row 1 of the batch" in result.origins[0].verdict.explanation


def test_what_a_pipelines_function_made_is_the_origin() -> None:
    trace = TraceBuilder()
    step, batch, total = taking(trace)
    parse = trace.function("Dataset_map_parse")
    x = parse.argument("x")
    scaled = parse.op("RealDiv", parse.op("Const"), x)
    result_of_parse = parse.op("Identity", scaled)
    parse.returns(result_of_parse)
    for element, quotient in ((2.0, 0.5), (0.0, inf)):
        trace.event(INSIDE, INSIDE, x, element)
        trace.event(INSIDE, INSIDE, scaled, quotient)
    run = trace.run(step)
    run.event(batch, [0.5, inf])
    run.event(total, inf)
    result = why(trace)
    assert (names(result), causes(result)) == (["RealDiv:0"], ["division_by_zero"])
    assert result.origins[0].consequential
    assert result.origins[0].propagated == 2


def test_data_that_a_pipeline_was_made_from_are_the_origin() -> None:
    trace = TraceBuilder()
    step, batch, total = taking(trace)
    source = trace.eager("Input", values=[[1.0], [nan], [3.0]])
    trace.eager("TensorSliceDataset", trace.output(source))
    run = trace.run(step)
    run.event(batch, [[nan], [1.0]])
    run.event(total, nan)
    result = why(trace)
    assert (names(result), causes(result)) == (["Input:0"], ["bad_input_data"])
    assert result.origins[0].first_bad_index == (1, 0)
    assert result.origins[0].consequential


def test_data_that_no_pipeline_took_have_nothing_to_do_with_it() -> None:
    trace = TraceBuilder()
    step, batch, total = taking(trace)
    other = trace.eager("Input", values=[nan])
    trace.eager("Sin", trace.output(other), values=[nan])
    run = trace.run(step)
    run.event(batch, [nan])
    run.event(total, nan)
    assert set(names(why(trace))) == {"Input:0", "IteratorGetNext:0"}


def test_each_batch_goes_back_to_what_was_made_since_the_one_before() -> None:
    trace = TraceBuilder()
    step, batch, total = taking(trace)
    parse = trace.function("Dataset_map_parse")
    x = parse.argument("x")
    root, log = parse.op("Sqrt", x), parse.op("Log", x)
    parse.returns(root, log)
    trace.event(INSIDE, INSIDE, x, -1.0)
    trace.event(INSIDE, INSIDE, root, nan)
    first = trace.run(step)
    first.event(batch, [nan])
    first.event(total, nan)
    trace.event(INSIDE, INSIDE, x, 0.0)
    trace.event(INSIDE, INSIDE, log, -inf)
    second = trace.run(step)
    second.event(batch, [-inf])
    second.event(total, -inf)
    result = why(trace)
    assert names(result) == ["Sqrt:0", "Log:0"]
    assert [origin.propagated for origin in result.origins] == [2, 2]


def test_a_finite_pipeline_beside_other_trouble() -> None:
    trace = TraceBuilder()
    step, batch, total = taking(trace)
    trace.eager("TensorSliceDataset", trace.output(trace.eager("Input", values=[1.0])))
    run = trace.run(step)
    run.event(batch, [1.0])
    run.event(total, inf)
    assert names(why(trace)) == ["Sum:0"]


def test_a_result_that_a_pipeline_was_reduced_to_comes_from_the_function_that_reduced_it() -> None:
    trace = TraceBuilder()
    product = trace.function("reduce_product")
    state, x = product.argument("state"), product.argument("x")
    grown = product.op("Exp", x)
    result_of_product = product.op("Mul", state, grown)
    product.returns(result_of_product)
    for before, element in ((1.0, 1000.0), (inf, 1.0)):
        trace.event(INSIDE, INSIDE, state, before)
        trace.event(INSIDE, INSIDE, x, element)
        trace.event(INSIDE, INSIDE, grown, inf if element > 1.0 else 2.7)
        trace.event(INSIDE, INSIDE, result_of_product, inf)
    trace.eager("ReduceDataset", values=inf)
    result = why(trace)
    assert (names(result), causes(result)) == (["Exp:0"], ["exp_overflow"])
    assert result.origins[0].consequential


def test_elements_that_are_computed_at_once_have_their_own_inputs() -> None:
    trace = TraceBuilder()
    step, batch, total = taking(trace)
    parse = trace.function("Dataset_map_parse")
    x = parse.argument("x")
    divisor = parse.op("Abs", x)
    quotient = parse.op("Reciprocal", divisor)
    parse.returns(quotient)
    elements = {3: -2.0, 4: 0.0, 5: 4.0}
    for run, value in elements.items():
        trace.event(INSIDE, INSIDE, x, value, run=run)
    for run in (4, 3, 5):
        trace.event(INSIDE, INSIDE, divisor, abs(elements[run]), run=run)
    for run in (5, 3, 4):
        trace.event(INSIDE, INSIDE, quotient, 1.0 / abs(elements[run]) if elements[run] else inf, run=run)
    run = trace.run(step)
    run.event(batch, [0.5, inf, 0.25])
    run.event(total, inf)
    result = why(trace)
    assert (names(result), causes(result)) == (["Reciprocal:0"], ["division_by_zero"])
    (given,) = result.origins[0].inputs
    assert given.recorded is not None
    assert given.recorded.health is not None
    assert given.recorded.health.max == 0.0
