from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.cli.running.replaying import run_replay
from tensordbg.errors import CaptureError
from tensordbg.replaying.plan import ReplayPlan


def test_a_process_that_fails_has_said_why(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CaptureError, match=r"absent could not be replayed"):
        run_replay(ReplayPlan("absent"), tmp_path)
    assert "absent is no capture" in capfd.readouterr().err
