"""Finds the lines that `tdbg run --pdb` names, and runs the program up to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tensordbg.cli.running.child import Child, end_as
from tensordbg.cli.running.editor_port import check_editor_port
from tensordbg.cli.running.program import Program
from tensordbg.errors import UsageError
from tensordbg.packages import is_among_packages
from tensordbg.recording.settings import settings_above
from tensordbg.stopping.plan import StopPlace, StopPlan
from tensordbg.stopping.source import stop_line

_MOST_FILES = 20_000
"""So many source files are looked at to find one by the end of its path."""


def run_stopping(program: Program, places: tuple[str, ...], port: int) -> int:
    """Runs a program that stops at some lines, in pdb or for an editor.

    Args:
        program: Which.
        places: FILE:LINE, or LINE of the program itself, each with ` if EXPRESSION` or without.
        port: Where an editor attaches, 0 for pdb.

    Returns:
        The program's exit code; does not return where a signal ended the program.

    Raises:
        UsageError: If a place is none, or no editor could attach; the program has not been started then.
    """
    settings_above(program.folder)
    check_editor_port(port, "leave --dap out")
    plan = StopPlan(tuple(place_of(each, program) for each in places), port)
    child = Child(program.stop_command(plan))
    child.start()
    return end_as(child.wait())


def place_of(words: str, program: Program) -> StopPlace:
    """The line that is meant.

    Raises:
        UsageError: If there is no such line, it has no code, or several files are meant.
    """
    match = re.fullmatch(r"(?:(.+?):)?(\d+)(?:\s+if\s+(.+))?", words.strip())
    if match is None or not int(match[2]):
        raise UsageError(f"{words!r} is no place to stop; write FILE:LINE, such as model.py:31, or FILE:LINE if EXPR")
    line, condition = int(match[2]), match[3] or ""
    if condition:
        _refuse_wrong(condition)
    file = _file_of(match[1] or "", program)
    path = Path(file)
    if path.is_absolute():
        stop_line(path.read_bytes(), line, _short(path))
    return StopPlace(file, line, condition)


def _refuse_wrong(condition: str) -> None:
    try:
        compile(condition, "condition", "eval")
    except SyntaxError as error:
        raise UsageError(f"{condition!r} is no expression of Python: {error.msg}; fix it") from None


def _file_of(named: str, program: Program) -> str:
    """Where the file lies, or the end of its path where that is known only when the program imports it."""
    script = None if program.words[0] == "-m" else Path(program.words[0])
    if not named:
        if script is None or not script.is_file():
            raise UsageError("a line alone is one of the script that is run; write FILE:LINE")
        return str(_absolute(script))
    if Path(named).is_file():
        return str(_absolute(Path(named)))
    if script is not None and script.is_file() and f"/{_absolute(script).as_posix()}".endswith(f"/{named}"):
        return str(_absolute(script))
    found = sorted({each.resolve() for each in _with_end(program.folder, named)})
    if len(found) > 1:
        listed = ", ".join(_short(each) for each in found[:5])
        raise UsageError(f"{named} may be {listed}; write more of its path")
    return str(found[0]) if found else Path(named).as_posix()


def _with_end(folder: Path, named: str) -> Iterator[Path]:
    """The program's own files whose paths have this end."""
    for each in islice(folder.rglob("*.py"), _MOST_FILES):
        if each.as_posix().endswith(f"/{named}") and not is_among_packages(each.as_posix()):
            yield each


def _absolute(path: Path) -> Path:
    """As the program sees it: links in it are not followed."""
    return Path.cwd() / path


def _short(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
