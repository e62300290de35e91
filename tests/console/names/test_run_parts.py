from __future__ import annotations

import pytest

from tensordbg.console.console import Console
from tensordbg.console.names.run_parts import parts_of_run
from tensordbg.errors import UsageError
from tests.console.recorded import still


def test_what_went_in_and_what_came_out(console: Console) -> None:
    parts = parts_of_run(console.opened, console.runs, 2)
    assert (parts.number, parts.name, parts.fetches) == (2, "train_step", ("Neg:0",))
    assert [name for name, _ in parts.feeds] == ["x:0", "y:0"]
    for name, event in parts.feeds:
        assert event is not None
        assert console.opened.row(event).tensor == name
        assert console.opened.row(event).step == 1


def test_by_default_the_last_run(console: Console) -> None:
    assert parts_of_run(console.opened, console.runs, None).number == 4


def test_without_runs_it_is_said_so(console: Console) -> None:
    none = still(console.folder, 0)
    with pytest.raises(UsageError, match="the trace holds no run"):
        parts_of_run(none.opened, none.runs, None)
