from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_what_is_no_capture_is_one_error(tmp_path: Path) -> None:
    launcher = [sys.executable, "-m", "tensordbg.recording.replay_launch", str(tmp_path / "trace"), str(tmp_path), "1"]
    done = subprocess.run(launcher, check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"tdbg: error: {tmp_path} is no capture: capture.json can't be read")
    assert not (tmp_path / "trace").exists()
