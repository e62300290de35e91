from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.console.console import Console, StateFiles
from tensordbg.errors import UsageError
from tests.console.recorded import answer, text


def test_a_setting_is_kept_for_later_sessions(sample: Path, tmp_path: Path) -> None:
    files = StateFiles(None, tmp_path / "config" / "console.json")
    console = Console(sample, files=files)
    assert "graph_recursion_depth  20" in answer(console, "config show")
    console.answer("cfg set graph_recursion_depth 3")
    later = Console(sample, files=files)
    assert "graph_recursion_depth  3" in answer(later, "cfg")
    assert "(Depth limit = 3)" in text(later, "li -r Log")


def test_what_can_not_be_set_is_said_so(console: Console) -> None:
    with pytest.raises(UsageError, match="no setting 'mouse'; choose one of graph_recursion_depth"):
        console.answer("config set mouse on")
    with pytest.raises(UsageError, match="`config get` is not there"):
        console.answer("config get")
    with pytest.raises(UsageError, match="takes a name and a value"):
        console.answer("config set mouse_mode")
