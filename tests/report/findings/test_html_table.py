from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

from tensordbg.analysis.why import why
from tensordbg.report.findings.html_table import findings_table
from tests.analysis.builder import TraceBuilder, nan
from tests.report.reports import training


class Reader(HTMLParser):
    """Which tags there are, and the text of each cell."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[object] = []
        self.cells: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        self.attributes += attrs  # type: ignore[operator]
        if tag in {"td", "th"}:
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


def test_a_row_for_each_finding() -> None:
    result = why(training())
    read = Reader(findings_table(result))
    rows = [read.cells[k : k + 6] for k in range(6, len(read.cells), 6)]
    assert len(rows) == len(result.origins) + len(result.warnings) + len(result.alerts)
    assert rows[0][:5] == ["origin", "Log:0", "log_of_zero", "train.py:6", "step 3"]
    assert ["harmless", "Dropped:0", "division_by_zero", "train.py:9", "step 0, 5 times"] in [row[:5] for row in rows]


def test_the_sentence() -> None:
    assert "<p>15 of 45 recorded tensors are not finite.</p>" in findings_table(why(training()))


def test_nothing_wrong_has_no_table() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    trace.run(f).event(f.op("Log"), [1.0])
    assert findings_table(why(trace)) == "<div><p>The only tensor was finite.</p></div>"


def test_names_stay_text() -> None:
    evil = "<script>alert(1)</script><img src=x>&amp;\"'"
    trace = TraceBuilder()
    f = trace.function("f")
    trace.run(f).event(f.op("Log", name=evil), [nan])
    read = Reader(findings_table(why(trace)))
    assert read.tags == {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert set(read.attributes) == {("style", "padding:0.15em 0.6em;text-align:left")}
    assert f"{evil}:0" in read.cells


def test_a_long_list_is_cut() -> None:
    result = why(training())
    text = findings_table(replace(result, origins=result.origins[:1] * 20, warnings=(), alerts=()))
    assert "8 more findings are not listed here." in text
    assert len(re.findall("<tr>", text)) == 13
