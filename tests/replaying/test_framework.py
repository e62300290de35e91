from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tensordbg.capture.reader import open_capture
from tensordbg.capture.writer import HEADER_FILE
from tensordbg.errors import CaptureError
from tensordbg.recording.backend import Unsupported
from tensordbg.recording.support import REPLAY, Ability
from tensordbg.replaying.framework import backend_for
from tests.capture.conftest import write

__all__ = ["write"]

WITHOUT = """
import sys
class Refuser:
    def find_spec(self, name, path=None, target=None):
        if name == "tensorflow":
            raise ModuleNotFoundError("No module named 'tensorflow'", name=name)
sys.meta_path.insert(0, Refuser())
"""
"""Makes an environment in which TensorFlow is not installed."""


def test_what_is_installed_is_found(write: Callable[..., Path], tmp_path: Path) -> None:
    capture = open_capture(write(tmp_path / "capture"))
    assert backend_for(capture, REPLAY)[0].framework == "tensorflow"


NOT_OFFERED: Ability[object] = Ability("`tdbg x`", "does it", lambda _: Unsupported("it can't", "do it by hand"))


@pytest.mark.parametrize(
    ("made_by", "told"),
    [
        ("other", r"capture is of other, not of tensorflow, torch"),
        ("torch", r"`tdbg x` can't be used with PyTorch: it can't; do it by hand"),
    ],
)
def test_what_no_one_offers_is_told(write: Callable[..., Path], tmp_path: Path, made_by: str, told: str) -> None:
    path = write(tmp_path / "capture")
    header = json.loads((path / HEADER_FILE).read_text())
    (path / HEADER_FILE).write_text(json.dumps({**header, "frameworks": {made_by: "1.0"}}))
    with pytest.raises(CaptureError, match=told):
        backend_for(open_capture(path), NOT_OFFERED)


def test_replay_without_tensorflow_is_one_line(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write(tmp_path / "capture")
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "sitecustomize.py").write_text(WITHOUT)
    done = subprocess.run(
        [sys.executable, "-m", "tensordbg", "replay", path, "--out", tmp_path / "traces"],
        env={"PYTHONPATH": str(tmp_path / "without"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == (
        f"tdbg: error: {path} is of tensorflow 2.21.0, which is not installed here; "
        "`pip install tensorflow`, or replay it where its program runs\n"
    )
    assert not list((tmp_path / "traces").glob("*"))
