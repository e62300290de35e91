from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.console.breakpoints import parse_place
from tensordbg.console.console import Console
from tensordbg.console.pages.page import Place
from tensordbg.console.running import Stop, StopKind
from tensordbg.errors import UsageError
from tests.console.recorded import program_of, still


def test_a_file_of_the_trace_or_of_the_disk(standing: Console, trained: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.touch()
    assert parse_place(standing, "train.py:3") == Place(str(program_of(trained)), 3)
    assert parse_place(standing, f"{other}:4") == Place(str(other), 4)


def test_without_a_file_that_where_the_program_stands(trained: Path, standing: Console) -> None:
    stop = Stop(StopKind.BEFORE, 1, "step()", place=Place("/a/train.py", 7))
    assert parse_place(still(trained, 1, stop), "9") == Place("/a/train.py", 9)
    with pytest.raises(UsageError, match="'9' names no file"):
        parse_place(standing, "9")


@pytest.mark.parametrize("typed", ["train.py", "train.py:0", "train.py:x", ":3"])
def test_what_is_no_line_is_refused(standing: Console, typed: str) -> None:
    with pytest.raises(UsageError, match="is no line; write it as FILE:LINE"):
        parse_place(standing, typed)
