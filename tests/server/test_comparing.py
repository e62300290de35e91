"""Two runs of a server are compared once, and anew where one of them has grown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.server import comparing
from tensordbg.server.comparing import Comparisons
from tensordbg.server.library import Library


def test_a_run_beside_itself_is_the_same(sample: Path) -> None:
    answers = Library(sample).answers("")
    view = Comparisons().compared(answers, answers, "")
    assert (view.status, view.a) == ("same", None)
    assert view.headline.startswith("The same: ")
    assert {each.state for each in view.pairs} == {"equal"}


def test_an_answer_is_kept(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers, comparisons = Library(sample).answers(""), Comparisons()
    first = comparisons.compared(answers, answers, "")
    monkeypatch.delattr(comparing, "compare")
    assert comparisons.compared(answers, answers, "") is first
