from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.console.console import Console
from tensordbg.console.runner_of import runner_of, waiting_runner
from tensordbg.console.running import Stop, StopKind
from tensordbg.errors import UsageError
from tests.console.recorded import still


def test_the_program_that_stands_still(standing: Console, console: Console) -> None:
    assert runner_of(standing) is waiting_runner(standing) is standing.runner
    with pytest.raises(UsageError, match="no program stands still here, as this is a trace"):
        runner_of(console)


def test_a_program_that_has_ended_can_only_be_looked_at(trained: Path) -> None:
    ended = still(trained, 2, Stop(StopKind.END, 2, ""))
    assert runner_of(ended) is ended.runner
    with pytest.raises(UsageError, match="the program has ended and can't go on"):
        waiting_runner(ended)
    assert ended.opening().title == "The program has ended."
