from __future__ import annotations

import pytest

from tensordbg.console.console import Console
from tensordbg.errors import UsageError
from tests.console.recorded import text


def test_a_breakpoint_is_taken_away(standing: Console) -> None:
    standing.answer("b -o Log")
    assert "Breakpoint 1 is gone." in text(standing, "delete 1")
    assert standing.runner is not None
    assert standing.runner.breakpoints == {}
    with pytest.raises(UsageError, match=r"no breakpoint 1; `break` lists them .none is set."):
        standing.answer("delete 1")
