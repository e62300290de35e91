"""Two runs for the page."""

from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.diff.result import Comparison, ParameterPair, StepError
from tensordbg.wire.view.comparison import BothRow, ComparisonTexts, StepErrorView, comparison_view
from tests.report.test_error_chart import ERRORS, FIRST

TEXTS = ComparisonTexts("They part.", (("min", "1", "2"),), ("why it is", "fix it"), "3 agree")


def test_all_that_was_found() -> None:
    parameters = (ParameterPair("w", "v", "differs", 0.5), ParameterPair("b", "b", "equal", 0.0))
    view = comparison_view(
        Comparison("diverged", 3, 0, 0, 1e-6, FIRST, parameters=parameters, steps=(StepError(0, 0.25),), errors=ERRORS),
        TEXTS,
    )
    assert (view.status, view.headline, view.rows) == ("diverged", "They part.", (BothRow("min", "1", "2"),))
    assert view.a is not None
    assert view.a.source is not None
    assert (view.a.tensor, view.a.source.line, view.a.layer) == ("a:0", 7, "encoder.norm")
    assert [(each.error, each.state) for each in view.pairs[2:4]] == [(1e-2, "added"), (None, "inherited")]
    assert [each.a for each in view.parameters] == ["w"]
    assert view.steps == (StepErrorView(0, 0.25),)


def test_equal_runs_have_no_place() -> None:
    view = comparison_view(Comparison("same", 5, 0, 0, 1e-6), replace(TEXTS, rows=(), sentences=()))
    assert (view.a, view.b, view.rows, view.pairs) == (None, None, (), ())
