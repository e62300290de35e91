from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tensordbg.capture.reader import Capture
from tensordbg.cli import replaying_program
from tensordbg.cli.program import Program
from tensordbg.cli.replaying_program import program_of, stop_eagerly
from tensordbg.errors import UsageError
from tests.capture.conftest import header_of


def capture_of(folder: Path) -> Capture:
    return Capture(folder / "one", replace(header_of(), command=("train.py", "--fast"), folder=str(folder)))


def test_the_program_is_that_of_the_capture_unless_one_is_given(tmp_path: Path) -> None:
    for name in ("train.py", "other.py"):
        (tmp_path / name).write_text("")
    capture = capture_of(tmp_path)
    assert program_of(capture, ()).words == (str(tmp_path / "train.py"), "--fast")
    assert program_of(capture, (str(tmp_path / "other.py"), "x")).words == (str(tmp_path / "other.py"), "x")
    assert program_of(capture, ("-m", "json", "x")).words == ("-m", "json", "x")


def test_a_program_that_is_not_here_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"train.py is not here; give the step's own program behind the capture"):
        program_of(capture_of(tmp_path), ())


def test_an_editor_needs_debugpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaying_program.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="--dap needs debugpy, which is not installed; `pip install debugpy`, or use"):
        stop_eagerly(capture_of(tmp_path), Program("train", ("train.py",)), tmp_path, "", 5678)
