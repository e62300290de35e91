"""`tdbg debug` refuses in one line what it can't do, before the program starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.cli import main


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["debug", *words])
    assert ended.value.code == 2
    return capsys.readouterr().err


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text("print('runs')")
    return path


def test_a_program_that_is_not_there(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean" in refused(capsys, str(program.with_name("trian.py")))


def test_a_size_that_is_none(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "--values-budget", "much", str(program)).startswith("tdbg: error: 'much' is no size;")


def test_a_trace_in_place_of_a_folder(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "trace.json").write_text("{}")
    said = refused(capsys, "--out", str(tmp_path), str(program))
    assert said == (
        f"tdbg: error: {tmp_path}: is a trace itself, and new ones are made beside it; name the folder above it\n"
    )


def test_a_file_of_filters_that_is_not_there(program: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["debug", "--out", str(tmp_path / "out"), "--filters", str(tmp_path / "none.py"), str(program)])
    assert ended.value.code == 2
    said = capfd.readouterr()
    assert said.err.startswith("tdbg: error: ") and said.err.count("\n") == 1
    assert "runs" not in said.out
    # What was begun for the trace is gone.
    assert not (tmp_path / "out").exists()


def test_a_program_without_tensorflow_just_runs(
    program: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["debug", "--out", str(tmp_path / "out"), "-c", "run", str(program)])
    assert ended.value.code == 2
    said = capfd.readouterr()
    assert "runs" in said.out
    assert "The program has ended." in said.out


def test_the_exit_code_is_the_programs_own(program: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program.write_text("import sys; sys.exit(7)")
    with pytest.raises(SystemExit) as ended:
        main(["debug", "--out", str(tmp_path / "out"), "-c", "ri", str(program)])
    assert ended.value.code == 7
    assert "The program has ended." in capfd.readouterr().out
