"""A program that stops in a debugger is itself otherwise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tensordbg.stopping.plan import StopPlace, StopPlan

PROGRAM = """\
import sys
from package.inner import double

print(double(int(sys.argv[1])), __name__, sys.argv)
raise SystemExit(5)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "inner.py").write_text("def double(x):\n    return 2 * x\n")
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def launched(folder: Path, place: StopPlace, typed: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tensordbg.stopping.launch", StopPlan((place,)).to_json(), *words]
    return subprocess.run(command, cwd=folder, input=typed, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("words", [("program.py", "4"), ("-m", "program", "4")])
def test_it_stops_in_what_is_imported_and_ends_as_the_program_does(folder: Path, words: tuple[str, ...]) -> None:
    done = launched(folder, StopPlace("package/inner.py", 2), "p x\nw\nc\n", *words)
    assert done.returncode == 5, done.stderr
    assert "inner.py(2)double()\n-> return 2 * x\n(Pdb) 4\n" in done.stdout
    assert "8 __main__" in done.stdout
    assert "stop_launch" not in done.stdout
    assert done.stderr == ""
    assert not list(folder.rglob("*.pyc")) or "__tdbg" not in str([each.read_bytes() for each in folder.rglob("*.pyc")])


def test_a_line_of_the_script_itself(folder: Path) -> None:
    done = launched(folder, StopPlace(str(folder / "program.py"), 4), "q\n", "program.py", "4")
    assert (done.returncode, done.stderr) == (0, "")
    assert "program.py(4)<module>()" in done.stdout
    assert "__main__" not in done.stdout.replace("__name__", "")


def test_a_line_without_code_in_what_is_imported_is_said_and_the_program_goes_on(folder: Path) -> None:
    done = launched(folder, StopPlace("inner.py", 7), "", "program.py", "4")
    assert (done.returncode, done.stdout[:10]) == (5, "8 __main__")
    assert "tdbg: inner.py:7 is not there: the file has 2 lines; the nearest" in done.stderr
