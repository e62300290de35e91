from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tensordbg.replaying.plan import ReplayPlan


def test_what_is_no_capture_is_one_error(tmp_path: Path) -> None:
    plan = ReplayPlan(str(tmp_path)).to_json()
    launcher = [sys.executable, "-m", "tensordbg.replaying.launch", str(tmp_path / "trace"), plan]
    done = subprocess.run(launcher, check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"tdbg: error: {tmp_path} is no capture: capture.json can't be read")
    assert not (tmp_path / "trace").exists()
