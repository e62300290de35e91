"""A program that is pytest stops in test files, which it rewrites, as in all others."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tensordbg.stopping.plan import StopPlace
from tests.stopping.test_launch import launched

TESTS = """\
import pytest


@pytest.fixture
def four():
    return 4


def test_double(four):
    value = 2 * four
    print("printed by the test")
    assert value == 9, "no " + str(
        value)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_x.py").write_text(TESTS)
    return tmp_path


def outcome(folder: Path, line: int, typed: str, *options: str) -> tuple[int, str, str]:
    place = StopPlace("tests/test_x.py", line)
    done = launched(folder, place, typed, "-m", "pytest", "-q", *options, "tests/test_x.py")
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("options", [(), ("-s",), ("--capture=sys",)])
def test_it_stops_before_a_rewritten_assertion_and_the_test_fails_as_it_does(
    folder: Path, options: tuple[str, ...]
) -> None:
    code, printed, said = outcome(folder, 12, "p value + 1\nc\n", *options)
    assert (code, said) == (1, "")
    assert "test_x.py(12)test_double()\n-> assert value == 9" in printed
    assert "(Pdb) 9\n" in printed
    # The assertion tells what it compared, as pytest makes it.
    assert "AssertionError: no 8" in printed and "assert 8 == 9" in printed


def test_a_kept_file_neither_hides_the_stop_nor_keeps_it(folder: Path) -> None:
    launched(folder, StopPlace("elsewhere.py", 1), "", "-m", "pytest", "-q", "tests/test_x.py")
    kept = {each: each.read_bytes() for each in folder.rglob("*.pyc")}
    code, printed, _ = outcome(folder, 6, "c\n")
    assert code == 1 and "test_x.py(6)four()" in printed
    assert {each: each.read_bytes() for each in folder.rglob("*.pyc")} == kept
    assert sys.dont_write_bytecode or kept


def test_a_line_without_code_is_said(folder: Path) -> None:
    code, _, said = outcome(folder, 99, "")
    assert code == 1
    assert "tests/test_x.py:99 is not there: the file has 13 lines" in said
