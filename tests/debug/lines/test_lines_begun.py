from __future__ import annotations

import pytest

from tensordbg.debug.lines.lines_begun import LinesBegun
from tensordbg.model import Frame
from tensordbg.recording.lines import GraphLine

FRAME = Frame("/code/train.py", 5, "f", True)
MOMENT = (3, 7, 2)


def line(path: str, moment: tuple[int, ...] = MOMENT, *, is_behind: bool = False) -> GraphLine:
    return GraphLine("mod", "f", (FRAME,), {}, {}, (path, moment), is_behind, path=path, moment=moment)


@pytest.mark.parametrize(
    ("path", "moment", "frame", "goes_on"),
    [
        ("body/_1/cond/then/_3", MOMENT, FRAME, True),
        ("body/_1", MOMENT, FRAME, False),  # the line once more
        ("body/_12/cond/then/_3", MOMENT, FRAME, False),
        ("body/_1/while/body/_3", (3, 8, 0), FRAME, False),  # an iteration of a loop at the line
        ("body/_1/cond/then/_3", MOMENT, Frame("/code/train.py", 5, "<lambda>", True), False),
    ],
)
def test_a_line_goes_on_in_its_branch(path: str, moment: tuple[int, ...], frame: Frame, goes_on: bool) -> None:
    begun = LinesBegun()
    begun.begin(line("body/_1"), FRAME)
    assert begun.goes_on(line(path, moment), frame) is goes_on
    begun.end(line("body/_1", is_behind=True))
    assert not begun.goes_on(line(path, moment), frame)


def test_a_line_that_failed_is_over_with_the_next_run() -> None:
    begun = LinesBegun()
    begun.begin(line(""), FRAME)
    assert begun.goes_on(line("cond/then/_3"), FRAME)
    begun.clear()
    assert not begun.goes_on(line("cond/then/_3"), FRAME)
