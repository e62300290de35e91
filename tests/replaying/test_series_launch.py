from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tensordbg.replaying.plan import ReplayPlan


def test_what_is_no_capture_is_one_error(tmp_path: Path) -> None:
    launcher = [sys.executable, "-m", "tensordbg.replaying.series_launch", ReplayPlan(str(tmp_path)).to_json()]
    done = subprocess.run(launcher, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tdbg: error: ")
    assert done.stderr.count("\n") == 1
