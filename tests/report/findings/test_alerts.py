from __future__ import annotations

from dataclasses import replace

from rich.console import Group

from tensordbg.analysis.finding import Alert, SourceLine
from tensordbg.report.findings.alerts import alert_lines
from tests.report.rendering import rendered

SOURCE = SourceLine("/code/train.py", 9, "main", True, "step(x, n)")
ALERT = Alert("retracing", "step", "", SOURCE, "step was traced 6 times in 8 calls", "pass a tensor")


def test_none() -> None:
    assert alert_lines([]) == []


def test_one() -> None:
    assert rendered(Group(*alert_lines([ALERT]))) == [
        "",
        "alerts:",
        "  train.py:9: step was traced 6 times in 8 calls; pass a tensor",
    ]


def test_without_a_line_and_many() -> None:
    lines = rendered(Group(*alert_lines([replace(ALERT, source=None)] * 5)))
    assert lines[2] == "  step was traced 6 times in 8 calls; pass a tensor"
    assert lines[-1] == "  and 2 more; --json tells all"
    assert len(lines) == 6
