from __future__ import annotations

import contextlib
import ctypes
import io
import sys
import threading
from pathlib import Path

import pytest

from tensordbg.errors import UsageError
from tensordbg.stopping.debuggers import file_here, stop_in_pdb


class DueError(BaseException):
    """Stands for what may be due in a thread that tests before have left."""


@pytest.fixture(autouse=True)
def _no_exception_is_due() -> None:
    """Raises and takes an exception, after which none is due: CPython 3.11 never ends a traced function else."""
    due, own = ctypes.py_object(DueError), ctypes.c_ulong(threading.get_ident())
    with contextlib.suppress(DueError):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(own, due)
        for _ in range(1000):
            pass
        pytest.fail("no exception was raised")


def steps() -> int:
    first = 1
    second = first + 1
    return second * first


FIRST = steps.__code__.co_firstlineno


@pytest.mark.parametrize(("line", "shown"), [(FIRST + 1, "first = 1"), (FIRST + 3, "return second * first")])
def test_stops_at_the_line_and_nowhere_before(
    line: int, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("continue\n"))
    tracing = sys.gettrace()
    stop_in_pdb(steps, __file__, line)
    sys.settrace(tracing)
    printed = capsys.readouterr()
    assert printed.out.count("(Pdb)") == 1
    assert f"-> {shown}" in printed.out
    assert "the step has come to its end" in printed.err


def test_a_line_that_is_not_there_is_one_error() -> None:
    with pytest.raises(UsageError, match=r"test_debuggers.py:9999: no stop there \(.*\); give --break FILE:LINE"):
        stop_in_pdb(steps, __file__, 9999)


def test_a_file_that_moved_is_found_by_the_name_of_a_loaded_module(tmp_path: Path) -> None:
    assert file_here(str(tmp_path / "away" / Path(io.__file__).name)) == io.__file__
    assert file_here("nowhere.py") == "nowhere.py"
