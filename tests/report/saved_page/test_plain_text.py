from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tensordbg.report.saved_page.plain_text import page_text
from tensordbg.trace.folders.runs import find_run
from tensordbg.wire.view.answers import RunAnswers
from tensordbg.wire.view.findings import Findings
from tensordbg.wire.view.overview import Overview


def found(sample: Path) -> tuple[Findings, Overview]:
    answers = RunAnswers(find_run(sample))
    return answers.findings(), answers.overview()


def test_findings_are_told_with_line_and_fix(sample: Path) -> None:
    findings, overview = found(sample)
    text = page_text(findings, overview)
    first = findings.findings[0]
    assert text.startswith("<noscript>")
    assert f"<h2>{first.title}</h2>" in text
    assert "/code/train.py:3" in text
    assert findings.summary in text
    assert f"<h1>{Path(overview.program).name}</h1>" in text
    assert re.search(
        r"An extract of what tensordbg recorded of <code>.*</code> on \d{4}-\d\d-\d\d at \d\d:\d\d UTC", text
    )
    assert "`" not in text


def test_of_a_run_that_is_fine_it_is_told_what_is_worth_a_look(sample: Path) -> None:
    findings, overview = found(sample)
    text = page_text(replace(findings, findings=(), summary="All were finite."), overview, ["the loss went <up>"])
    assert "<p>All were finite.</p><ul><li>the loss went &lt;up&gt;</li></ul>" in text


def test_nothing_of_the_trace_is_markup(sample: Path) -> None:
    findings, overview = found(sample)
    evil = replace(findings.findings[0], title="</noscript><script>alert(1)</script>", explanation="<b>")
    text = page_text(replace(findings, findings=(evil,)), overview)
    assert "<script" not in text
    assert text.count("</noscript>") == 1
    assert "&lt;b&gt;" in text


def test_a_long_list_is_cut(sample: Path) -> None:
    findings, overview = found(sample)
    text = page_text(replace(findings, findings=findings.findings[:1] * 25), overview)
    assert text.count("<h2>") == 20
    assert "5 more are not listed here." in text
