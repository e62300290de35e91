"""What the framework only cut and handed on is the data that it was given, and does not come back from Python."""

from __future__ import annotations

import pytest

from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, nan


@pytest.mark.parametrize(("op_type", "cause"), [("GatherV2", "bad_input_data"), ("Exp", "returned_from_python")])
def test_data_that_was_only_cut_is_still_what_was_given(op_type: str, cause: str) -> None:
    """As where a column is bad in what a model learns from and in what it is tested with."""
    trace = TraceBuilder()
    given = trace.output(trace.eager("Input", values=[[1.0, nan], [2.0, 5.0], [3.0, nan], [4.0, nan]]))
    trace.eager(op_type, given, values=[[1.5, nan], [4.5, 3.0], [2.5, nan]])
    trace.eager("Sum", trace.output(trace.eager("Input", values=[[2.0, nan], [4.0, nan]])), values=nan)
    assert [origin.cause for origin in why(trace).origins] == ["bad_input_data", cause]
