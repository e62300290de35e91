"""Origins: several at once, infinities that the program wrote down, and circles."""

from __future__ import annotations

import pytest

from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf, names, nan


def masked(mask: list[list[float]], weights: list[list[float]], constant: bool = True) -> TraceBuilder:
    """Attention scores with a mask added, and their softmax."""
    trace = TraceBuilder()
    f = trace.function("attention")
    scores = f.argument("scores")
    added = f.op("Const") if constant else f.argument("mask")
    total = f.op("AddV2", scores, added)
    softmax = f.op("Softmax", total)
    f.returns(softmax)
    run = trace.run(f)
    run.event(scores, [[1.0, 2.0]] * len(mask))
    run.event(added, mask)
    run.event(total, mask)
    run.event(softmax, weights)
    return trace


@pytest.mark.parametrize("constant", [True, False])
def test_an_attention_mask_is_harmless(constant: bool) -> None:
    (origin,) = why(masked([[0.0, -inf]], [[1.0, 0.0]], constant)).origins
    assert not origin.consequential
    assert origin.propagated == 1


@pytest.mark.parametrize("constant", [True, False])
def test_a_row_that_is_masked_throughout(constant: bool) -> None:
    """There the softmax is to blame, and names the mask, which has no entry of its own."""
    result = why(masked([[0.0, -inf], [-inf, -inf]], [[1.0, 0.0], [nan, nan]], constant))
    (softmax,) = result.origins
    assert (softmax.view.tensor, softmax.verdict.cause) == ("Softmax:0", "fully_masked_softmax")
    assert softmax.reaches == ("output",)
    assert f"(the mask: {'Const' if constant else 'mask'}, line" in softmax.verdict.explanation


def test_a_mask_beside_a_nan_is_not_held_to_account() -> None:
    trace = TraceBuilder()
    f = trace.function("attention")
    log, mask = f.op("Log", f.argument("x")), f.op("Const")
    total = f.op("AddV2", log, mask)
    f.returns(total)
    run = trace.run(f)
    run.event(log, [nan, nan])
    run.event(mask, [0.0, -inf])
    run.event(total, [nan, nan])
    first, second = why(trace).origins
    assert (first.view.tensor, first.consequential) == ("Log:0", True)
    assert (second.view.tensor, second.consequential) == ("Const:0", False)


def test_a_mask_in_the_place_of_a_nan_is_not_held_to_account() -> None:
    """The second of two layers is masked as the first is, whose NaN it would have taken in."""
    trace = TraceBuilder()
    f = trace.function("attention")
    log, mask = f.op("Log", f.argument("x")), f.op("Const")
    chosen = f.op("SelectV2", f.argument("condition"), mask, log)
    softmax = f.op("Softmax", chosen)
    f.returns(softmax)
    run = trace.run(f)
    run.event(log, [nan, nan])
    run.event(mask, [-inf])
    run.event(chosen, [-inf, -inf])
    run.event(softmax, [nan, nan])
    first, second = why(trace).origins
    assert (first.view.tensor, first.consequential) == ("Log:0", True)
    assert (second.view.tensor, second.consequential) == ("Const:0", False)


@pytest.mark.parametrize("finite", [3.0, -3.0])
def test_infinite_data_is_no_mask(finite: float) -> None:
    """The same with finite elements that are not zero: a bad row of data, to which the NaN is put down."""
    (origin,) = why(masked([[finite, 0.0], [-inf, 0.0]], [[1.0, 0.0], [nan, nan]], constant=False)).origins
    assert (origin.view.tensor, origin.verdict.cause, origin.propagated) == ("mask:0", "bad_input_data", 2)
    assert "row 1 of the batch, at [1, 0]" in origin.verdict.explanation


def test_infinities_written_down_that_cancel() -> None:
    trace = TraceBuilder()
    a, b = trace.eager("Input", values=inf), trace.eager("Input", values=inf)
    trace.eager("Sub", trace.output(a), trace.output(b), values=nan)
    result = why(trace)
    assert result.origins[0].verdict.cause == "inf_minus_inf"
    assert not any(origin.consequential for origin in result.origins[1:])


def test_a_computed_infinity_is_held_to_account() -> None:
    trace = TraceBuilder()
    x = trace.eager("Input", values=[0.0])
    log = trace.eager("Log", trace.output(x), values=[-inf])
    trace.eager("Sub", trace.output(log), trace.output(log), values=[nan])
    assert names(why(trace)) == ["Log:0"]


def test_a_constant_that_matters() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    best = f.op("Const")
    lowest = f.op("Neg", best)
    f.returns(lowest)
    run = trace.run(f)
    run.event(best, inf)
    run.event(lowest, -inf)
    (origin,) = why(trace).origins
    assert (origin.verdict.cause, origin.consequential) == ("non_finite_constant", True)


def test_several_origins() -> None:
    """Two independent troubles that meet; each has what came of it."""
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    log, root = f.op("Log", x), f.op("Sqrt", x)
    negative = f.op("Neg", root)
    total = f.op("AddV2", log, negative)
    f.returns(total)
    run = trace.run(f)
    run.event(x, [0.0, -1.0])
    run.event(log, [-inf, nan])
    run.event(root, [0.0, nan])
    run.event(negative, [0.0, nan])
    run.event(total, [-inf, nan])
    first, second = why(trace).origins
    assert (first.view.tensor, first.verdict.cause, first.propagated) == ("Log:0", "log_of_negative", 1)
    assert (second.view.tensor, second.verdict.cause, second.propagated) == ("Sqrt:0", "root_of_negative", 2)


def test_every_bad_tensor_comes_from_some_origin() -> None:
    """Unclear writes of two variables that depend on each other make a circle; it starts with its first event."""
    trace = TraceBuilder()
    a, b = trace.variable("a"), trace.variable("b")
    f = trace.function("f")
    read_a, read_b = f.read(a), f.read(b)
    f.write(b, read_a, op_type="AssignAddVariableOp")
    f.write(a, read_b, op_type="AssignAddVariableOp")
    for _ in range(2):
        run = trace.run(f)
        run.event(read_a, [nan])
        run.event(read_b, [nan])
    origins = why(trace).origins
    assert origins
    assert sum(origin.occurrences for origin in origins) + max(origin.propagated for origin in origins) >= 4


def test_bad_rows_of_a_batch() -> None:
    trace = TraceBuilder()
    f = trace.function("train_step")
    x = f.argument("images")
    total = f.op("Sum", x)
    f.returns(total)
    run = trace.run(f, -1)
    run.event(x, [[1.0, 2.0], [1.0, 2.0], [nan, inf]])
    run.event(total, nan)
    (origin,) = why(trace).origins
    assert (origin.verdict.cause, origin.first_bad_index) == ("bad_input_data", (2, 0))
    assert "row 2 of the batch" in origin.verdict.explanation
