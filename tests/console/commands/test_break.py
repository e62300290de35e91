from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.console.console import Console
from tensordbg.console.running import BreakKind, Breakpoint
from tensordbg.errors import UsageError
from tests.console.recorded import program_of, text


def test_breakpoints_are_set_and_listed(standing: Console, trained: Path) -> None:
    assert "No breakpoint is set." in text(standing, "break")
    assert "Breakpoint 1: operation Log*" in text(standing, "b -o Log*")
    standing.answer("b train.py:11")
    standing.answer("b -f 'Log : min < 0'")
    assert standing.runner is not None
    assert standing.runner.breakpoints == {
        1: Breakpoint(BreakKind.OPERATION, "Log*"),
        2: Breakpoint(BreakKind.LINE, f"{program_of(trained)}:11"),
        3: Breakpoint(BreakKind.FILTER, "Log : min < 0"),
    }
    assert "operation  Log*" in text(standing, "b")


def test_a_breakpoint_names_one_thing_that_is_there(standing: Console) -> None:
    with pytest.raises(UsageError, match="a breakpoint names one thing"):
        standing.answer("b -o Log -u train_step")
    with pytest.raises(UsageError, match=r"trian.py: no such file; .* did you mean 'train.py'?"):
        standing.answer("b trian.py:3")
    with pytest.raises(UsageError, match="no filter 'nam'"):
        standing.answer("b -f nam")
