from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.cli.running.comparing import RecordedProgram, program_of, record_both, split_words
from tensordbg.cli.running.program import Program
from tensordbg.errors import UsageError


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text("print('said'); raise SystemExit(3)")
    return str(path)


def test_words_are_split_as_by_a_shell(script: str) -> None:
    assert program_of(split_words(f"{script} --name 'a b'")).words == (script, "--name", "a b")
    assert program_of(["-m", "json.tool", "--help"]).words == ("-m", "json.tool", "--help")


def test_a_quotation_without_an_end() -> None:
    with pytest.raises(UsageError, match="No closing quotation; write it as a shell would take it"):
        split_words("ref.py 'a")


@pytest.mark.parametrize("words", [[], ["-m"]])
def test_a_program_is_missing(words: list[str]) -> None:
    with pytest.raises(UsageError, match="one is missing; `tdbg diff --run REF"):
        program_of(words)


@pytest.mark.parametrize(
    ("status", "failure"), [(0, ""), (3, "-m a ended with code 3"), (-9, "-m a was ended by SIGKILL")]
)
def test_how_a_program_ended(tmp_path: Path, status: int, failure: str) -> None:
    assert RecordedProgram(Program("a", ("-m", "a")), tmp_path, status).failure == failure


def test_a_program_of_which_nothing_is_recorded(script: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = program_of([script])
    with pytest.raises(UsageError, match="ended with code 3, and nothing was recorded of it"):
        record_both(program, program, str(tmp_path / "out"))
    said = capfd.readouterr()
    assert said.out == ""
    assert f"the traces are in {tmp_path / 'out'}" in said.err
    assert "said" in said.err
