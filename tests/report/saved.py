"""What the tests of the saved page share: reading the content back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tensordbg.report.saved_page.content import _frame, saved_content
from tensordbg.trace.folders.runs import find_run
from tensordbg.wire.view.answers import RunAnswers

PLENTY = 10**7

BUNDLE = (
    '<title>tensordbg</title>é<script type="module">"{answers}"</script>'
    '<script type="application/json" id="saved-answers">{answers}</script>\n</html>\n'
)
"""A page of one line."""


def content_of(trace: Path, size: int = PLENTY) -> dict[str, Any]:
    """What a page would hold of a trace."""
    text = saved_content(RunAnswers(find_run(trace)), size)
    assert len(text) <= size
    return json.loads(text)  # type: ignore[no-any-return]


def content_with_room(trace: Path, room: int) -> dict[str, Any]:
    """What a page would hold with so many bytes beside what is always there, which is longer in a longer folder."""
    answers = RunAnswers(find_run(trace))
    return content_of(trace, _frame(answers, answers.overview()) + room)
