from __future__ import annotations

import pytest

from tensordbg.console.console import Console
from tensordbg.console.running import Go, GoKind


@pytest.mark.parametrize("typed", ["exit", "quit", "q"])
def test_it_ends_the_conversation(console: Console, typed: str) -> None:
    answer = console.answer(typed)
    assert answer.page is None
    assert answer.go == Go(GoKind.EXIT)
