from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tensordbg.replaying.program import ProgramReplay, Way


def test_what_is_no_capture_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print('started')")
    plan = ProgramReplay("absent", Way.RECORD, "trace").to_json()
    words = [sys.executable, "-m", "tensordbg.replaying.program_launch", plan, "train.py"]
    done = subprocess.run(words, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tdbg: error: absent is no capture")
