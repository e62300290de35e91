"""What a NaN decided, in words."""

from __future__ import annotations

import pytest

from tensordbg.analysis.finding import Decided, EndedLoop, SourceLine
from tensordbg.analysis.view.findings.outcomes import decided_text, ended_text

LINE = SourceLine("/code/train.py", 7, "main", True, "if loss < best:")
PLACE = "`if loss < best:` (train.py:7) in step 2"


@pytest.mark.parametrize(
    ("what", "branch", "text"),
    [
        ("branch", "then", f"which branch ran, {PLACE}: Less:0 was given a NaN, and the then branch ran"),
        ("branch", "number 2", f"which branch ran, {PLACE}: Less:0 was given a NaN, and branch number 2 ran"),
        ("branch", "", f"which branch ran, {PLACE}: Less:0 was given a NaN"),
        ("choice", "", f"which elements were chosen, {PLACE}: Less:0 compared a NaN"),
        ("comparison", "", f"what was returned, {PLACE}: Less:0 compared a NaN"),
        ("index", "", f"which index was chosen, {PLACE}: Less:0 was given a NaN, so its result is an accident"),
    ],
)
def test_decisions(what: str, branch: str, text: str) -> None:
    assert decided_text(Decided(what, "Less:0", LINE, 2, None, branch)) == text


def test_how_often_it_was_decided() -> None:
    assert decided_text(Decided("choice", "Less:0", LINE, 2, None, "", 3)).endswith("compared a NaN; 3 times in all")


def test_a_turn_and_a_line_that_is_not_known() -> None:
    assert "Less:0 in step 2, iteration 4: " in decided_text(Decided("choice", "Less:0", None, 2, 4, ""))
    assert ended_text(EndedLoop("Less:0", LINE, 2, 4)) == (
        f"the loop of {PLACE}, iteration 4: nothing compares with NaN, so it took no further iteration"
    )
