from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

from tensordbg.cli.running import editor_port
from tensordbg.cli.running.editor_port import check_editor_port
from tensordbg.cli.running.program import Program
from tensordbg.cli.running.replaying_program import stop_eagerly
from tensordbg.cli.running.stopping import run_stopping
from tensordbg.errors import UsageError
from tensordbg.replaying.plan import ReplayPlan


def test_an_editor_needs_debugpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editor_port.importlib.util, "find_spec", lambda name: None)
    check_editor_port(0, "")
    with pytest.raises(UsageError, match="--dap needs debugpy, which is not installed; `pip install debugpy`, or use"):
        stop_eagerly(ReplayPlan(str(tmp_path / "one")), Program("train", ("train.py",)), tmp_path, "", 5678)


def test_a_port_of_another_program_is_refused_before_the_program_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = f"--dap {port}: no editor could attach there (Address already in use); give another port"
        with pytest.raises(UsageError, match=re.escape(said)):
            run_stopping(Program("train", ("train.py",)), (), port)
    check_editor_port(port, "")
