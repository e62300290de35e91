from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.cli.running.program import Program
from tensordbg.cli.running.stopping import place_of
from tensordbg.errors import UsageError
from tensordbg.stopping.plan import StopPlace
from tests.cli.conftest import Tdbg


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.py").write_text("x = 1\n")
    (tmp_path / "a" / "own.py").write_text("# nothing\nx = 1\n")
    (tmp_path / "train.py").write_text("import a.own\n\n\nx = 2\n")
    monkeypatch.chdir(tmp_path)
    return Program.script("train.py", ())


def test_files_are_found_by_their_path_or_its_end(program: Program) -> None:
    here = Path.cwd()
    assert place_of("4", program) == StopPlace(str(here / "train.py"), 4)
    assert place_of("train.py:4 if x > 1", program) == StopPlace(str(here / "train.py"), 4, "x > 1")
    assert place_of("own.py:2", program) == StopPlace(str(here / "a" / "own.py"), 2)
    assert place_of("b/same.py:1", program) == StopPlace(str(here / "b" / "same.py"), 1)
    assert place_of("elsewhere/model.py:31", program) == StopPlace("elsewhere/model.py", 31)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("own.py", "'own.py' is no place to stop; write FILE:LINE, such as model.py:31, or FILE:LINE if EXPR"),
        ("own.py:0", "'own.py:0' is no place to stop"),
        ("own.py:1", "a/own.py:1 has no code; the nearest line that has is 2: x = 1"),
        ("same.py:1", "same.py may be a/same.py, b/same.py; write more of its path"),
        ("own.py:2 if x >", "'x >' is no expression of Python: invalid syntax; fix it"),
    ],
)
def test_a_place_that_is_none_is_one_line(program: Program, words: str, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        place_of(words, program)
    assert str(raised.value).startswith(said)


def test_options_that_do_not_go_together_are_refused(tdbg: Tdbg, folder: Path) -> None:
    (folder / "train.py").write_text("x = 1\n")
    said = {
        (
            "--pdb",
            "1",
            "--detail",
            "values",
        ): "--detail is for a recording, but --pdb records nothing; leave one of them",
        ("--pdb", "1", "--check"): "--check is for a recording, but --pdb records nothing; leave one of them out",
        ("--dap", "5678"): "--dap 5678 is for an editor that stops somewhere; give --pdb FILE:LINE too",
    }
    for words, expected in said.items():
        done = tdbg("run", *words, "train.py")
        assert (done.returncode, done.stdout) == (2, "")
        assert expected in done.stderr
