"""What IPython shows of a result is what `tdbg` prints."""

from __future__ import annotations

import re
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


def test_colours_can_be_read_on_light_and_on_dark_grounds(shell: InteractiveShell) -> None:
    trace = TraceBuilder(["y = tf.math.log(x)"])
    f = trace.function("f")
    x = f.argument("x")
    log = f.op("Log", x, line=1)
    f.returns(log)
    run = trace.run(f)
    run.event(x, [0.0])
    run.event(log, [-inf])
    colours = set(re.findall(r"color: (#\w{6})", shown(shell, why(trace))["text/html"]))
    assert len(colours) >= 2
    for ground in ("#ffffff", "#1e1e1e"):
        assert all(contrast(colour, ground) > 3.5 for colour in colours), colours


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2 has it, 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


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
