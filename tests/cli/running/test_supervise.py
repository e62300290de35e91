from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.cli.running.program import Program
from tensordbg.cli.running.supervise import record
from tensordbg.errors import RecordingError, TraceError
from tensordbg.model import Detail
from tensordbg.recording.plan import Plan


@pytest.fixture
def program(tmp_path: Path) -> Program:
    script = tmp_path / "program.py"
    script.write_text("raise SystemExit(3)")
    return Program.script(str(script), ())


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (TraceError("runs: is damaged; restore it"), "runs: is damaged; restore it"),
        (ValueError("a fault\nof ours"), "ValueError: a fault of ours"),
    ],
)
def test_trouble_with_the_summary_is_not_the_programs(
    program: Program,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    line: str,
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("tensordbg.cli.running.summary.summarize", fail)
    assert record(program, tmp_path / "runs", Plan(Detail.HEALTH)) == 3
    (trace,) = (tmp_path / "runs").iterdir()
    assert capsys.readouterr().err == f"tdbg: error: no summary of {trace}: {line}\n"


def test_interrupted_summary_is_not_the_programs(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tensordbg.cli.running.summary.summarize", interrupt)
    assert record(program, tmp_path / "runs", Plan(Detail.HEALTH)) == 3
    assert capsys.readouterr().err == "tdbg: stopped; `tdbg why` reads the trace as it lies\n"


def test_folder_that_cannot_be_made(program: Program, tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(RecordingError, match="taken"):
        record(program, tmp_path / "taken", Plan(Detail.HEALTH))
