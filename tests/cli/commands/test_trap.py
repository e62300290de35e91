from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Tdbg, error_of


def test_a_program_that_trains_nothing_is_as_without_a_trap(tdbg: Tdbg, program: Callable[[str], str]) -> None:
    done = tdbg("trap", program("import sys; print(sys.argv[1:]); sys.exit(5)"), "--on-bad", "x")
    assert (done.returncode, done.stdout, done.stderr) == (5, "['--on-bad', 'x']\n", "")


def test_mistakes_are_one_line(tdbg: Tdbg, program: Callable[[str], str]) -> None:
    assert "'halt' is not one of 'stop', 'skip', 'record'" in error_of(tdbg("trap", "--on-bad", "halt", program("")))
    assert "no such file 'absent.py'" in error_of(tdbg("trap", "absent.py"))
    said = error_of(tdbg("trap", "--call", "f", "--loss-jump", "8", program("")))
    assert "--loss-jump is about bad steps, but --call captures a call as it is; leave one of them out" in said
    assert "'f:x' names no call" in error_of(tdbg("trap", "--call", "f:x", program("")))
    assert "0 is not in the range" in error_of(tdbg("trap", "--most", "0", program("")))


def test_a_place_where_no_capture_can_be_kept_is_refused_before_the_program_starts(
    tdbg: Tdbg, program: Callable[[str], str], folder: Path
) -> None:
    (folder / "file").write_text("")
    done = tdbg("trap", "--captures", "file", program("print('started')"))
    assert "no captures can be kept here" in error_of(done)
    assert done.stdout == ""
