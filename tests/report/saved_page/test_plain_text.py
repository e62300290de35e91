from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tensordbg.report.saved_page.plain_text import page_text
from tensordbg.trace.folders.runs import find_run
from tensordbg.wire.view.answers import RunAnswers
from tensordbg.wire.view.findings import Findings


def found(sample: Path) -> Findings:
    return RunAnswers(find_run(sample)).findings()


def test_findings_are_told_with_line_and_fix(sample: Path) -> None:
    findings = found(sample)
    text = page_text(findings)
    first = findings.findings[0]
    assert text.startswith("<noscript>")
    assert f"<h2>{first.title}</h2>" in text
    assert "/code/train.py:3" in text
    assert findings.summary in text


def test_nothing_of_the_trace_is_markup(sample: Path) -> None:
    findings = found(sample)
    evil = replace(findings.findings[0], title="</noscript><script>alert(1)</script>", explanation="<b>")
    text = page_text(replace(findings, findings=(evil,)))
    assert "<script" not in text
    assert text.count("</noscript>") == 1
    assert "&lt;b&gt;" in text


def test_a_long_list_is_cut(sample: Path) -> None:
    findings = found(sample)
    text = page_text(replace(findings, findings=findings.findings[:1] * 25))
    assert text.count("<h2>") == 20
    assert "5 more are not listed here." in text
