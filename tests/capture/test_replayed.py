from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.capture.outcome import Outcome, Reading
from tensordbg.capture.replayed import Bisected, Replayed, ReplayedStep, read_replayed, write_replayed
from tensordbg.errors import CaptureError

READING = Reading("loss:0", "loss", "", 1, 0, 0, None, None, "abc")


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    bisected = Bisected(("x", "y"), 32, (5,), (5, 9), refilled=True, runs=40)
    replayed = Replayed("captures/a", (ReplayedStep(Outcome.SAME, (READING,)),), ("noise",), ("note",), bisected)
    write_replayed(tmp_path, replayed)
    assert read_replayed(tmp_path) == replayed


def test_a_damaged_file_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "replay.json").write_text('{"runs": 3}')
    with pytest.raises(CaptureError, match=r"replay.json can't be read: .*; replay the capture again"):
        read_replayed(tmp_path)
