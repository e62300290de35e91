from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.console.console import Console
from tensordbg.console.pages.page import Place
from tensordbg.errors import UsageError
from tests.console.recorded import program_of


def test_the_line_is_found_among_the_files(standing: Console, trained: Path) -> None:
    go = standing.answer("until train.py:11").go
    assert go is not None
    assert go.place == Place(str(program_of(trained)), 11)


def test_what_is_no_line_is_refused(standing: Console) -> None:
    with pytest.raises(UsageError, match="'soon' is no line"):
        standing.answer("until soon")
