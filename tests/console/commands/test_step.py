from __future__ import annotations

import pytest

from tensordbg.console.console import Console
from tensordbg.console.running import Go, GoKind
from tensordbg.errors import UsageError


@pytest.mark.parametrize("typed", ["step", "s"])
def test_the_program_goes_on(standing: Console, typed: str) -> None:
    assert standing.answer(typed).go == Go(GoKind.STEP)


def test_on_a_trace_there_is_no_program(console: Console) -> None:
    with pytest.raises(UsageError, match="no program stands still here"):
        console.answer("step")
