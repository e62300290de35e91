from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tensordbg.model import Detail
from tensordbg.recording.handed_on import hand_on
from tensordbg.recording.launch_beside import run_function
from tensordbg.recording.plan import Plan


def test_a_program_has_a_new_trace_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import sys; print(sys.argv); sys.exit(4)")
    command = [sys.executable, "-m", "tensordbg.recording.launch_beside", "runs", Plan(Detail.OPS).to_json()]
    done = subprocess.run([*command, "train.py", "a"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (4, "['train.py', 'a']\n", "")
    (trace,) = (tmp_path / "runs").iterdir()
    assert trace.name.endswith("_train")


def _end_of(folder: Path) -> dict[str, object]:
    (trace,) = folder.iterdir()
    ends = [row["end"] for row in map(json.loads, (trace / "facts.jsonl").read_text().splitlines()) if "end" in row]
    return dict(ends[-1])


def test_a_function_is_recorded_until_it_returns(tmp_path: Path) -> None:
    ran: list[int] = []
    try:
        run_function((str(tmp_path / "runs"), Plan(Detail.OPS).to_json()), lambda: ran.append(1))
    finally:
        hand_on(None)
    assert ran == [1]
    assert _end_of(tmp_path / "runs")["exit_code"] == 0


def test_what_it_raises_is_noted_and_raised(tmp_path: Path) -> None:
    def fails() -> None:
        raise ValueError("no")

    try:
        with pytest.raises(ValueError, match="no"):
            run_function((str(tmp_path / "runs"), Plan(Detail.OPS).to_json()), fails)
    finally:
        hand_on(None)
    assert _end_of(tmp_path / "runs")["exception"] == "ValueError: no"


def test_it_runs_where_it_can_not_be_recorded(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    ran: list[int] = []
    try:
        run_function((str(tmp_path / "file"), Plan(Detail.OPS).to_json()), lambda: ran.append(1))
    finally:
        hand_on(None)
    assert ran == [1]
    assert "this process is not recorded" in capfd.readouterr().err
