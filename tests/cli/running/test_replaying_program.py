from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tensordbg.capture.reader import Capture
from tensordbg.cli.running.replaying_program import program_of
from tensordbg.errors import UsageError
from tests.capture.conftest import header_of


def capture_of(folder: Path) -> Capture:
    return Capture(folder / "one", replace(header_of(), command=("train.py", "--fast"), folder=str(folder)))


def test_the_program_is_the_one_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("")
    capture = capture_of(tmp_path)
    assert program_of(capture, (str(tmp_path / "other.py"), "x")).words == (str(tmp_path / "other.py"), "x")
    assert program_of(capture, ("-m", "json", "x")).words == ("-m", "json", "x")


def test_a_program_that_only_the_capture_names_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    said = "no program is named; give the step's own behind the capture, which says that it was `train.py --fast` in "
    with pytest.raises(UsageError, match=re.escape(f"{said}{tmp_path}")):
        program_of(capture_of(tmp_path), ())
