"""What IPython shows of a result is what `tdbg` prints."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from IPython.core.interactiveshell import InteractiveShell

import tensordbg
from tensordbg.analysis.diff.result import Comparison
from tensordbg.analysis.finding import Origin, WhyResult
from tensordbg.analysis.why import why
from tensordbg.report.findings.why_text import render, render_origins
from tensordbg.report.in_notebooks import show_results
from tests.analysis.builder import TraceBuilder, inf


@pytest.fixture
def shell() -> InteractiveShell:
    made = InteractiveShell()
    show_results(made)
    return made


def shown(shell: InteractiveShell, result: object) -> dict[str, str]:
    data, _ = shell.display_formatter.format(result)
    return dict(data)


def test_findings_and_origins(shell: InteractiveShell) -> None:
    trace = TraceBuilder(["", "", "y = tf.math.log(x)  # <b>"])
    f = trace.function("f")
    x = f.argument("x")
    log = f.op("Log", x, line=3)
    f.returns(log)
    run = trace.run(f)
    run.event(x, [0.0])
    run.event(log, [-inf])
    result = why(trace)
    findings, origin = shown(shell, result), shown(shell, result.origins[0])
    assert findings["text/plain"] + "\n" == render(result)
    assert origin["text/plain"] + "\n" == render_origins(result.origins)
    assert "log_of_zero" in findings["text/plain"]
    assert findings["text/html"].startswith("<pre ")
    assert "monospace" in findings["text/html"]
    assert "&lt;b&gt;" in origin["text/html"]
    assert "<b>" not in origin["text/html"]


def test_results_say_themselves_how_they_are_shown_where_marimo_is(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = tensordbg.diff(sample, sample)
    assert not hasattr(result, "_repr_html_")
    monkeypatch.setitem(sys.modules, "marimo", ModuleType("marimo"))
    for each in (WhyResult, Origin, Comparison):
        monkeypatch.setattr(each, "_repr_html_", None, raising=False)
    compared, findings = tensordbg.diff(sample, sample), tensordbg.open(sample).why()
    assert "The same: " in compared._repr_html_()
    assert "log_of_zero" in findings._repr_html_()
    assert findings.origins[0]._repr_html_().startswith("<pre ")


def test_a_comparison(shell: InteractiveShell, sample: Path) -> None:
    compared = shown(shell, tensordbg.diff(sample, sample))
    assert "same" in compared["text/plain"]
    assert "Comparison(" not in compared["text/plain"]
    assert "The same: " in compared["text/html"]
    assert "<svg " in compared["text/html"]
