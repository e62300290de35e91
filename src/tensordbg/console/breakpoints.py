"""Names of breakpoints, checked against what the trace holds so far."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from tensordbg.console.language.line_conditions import parse_line_condition
from tensordbg.console.language.statements import statements_of
from tensordbg.console.names.files import find_file
from tensordbg.console.pages.page import Place
from tensordbg.console.running import BreakKind, Breakpoint
from tensordbg.errors import AbsentError, UsageError

if TYPE_CHECKING:
    from tensordbg.console.console import Console

_CONDITION = re.compile(r"(.*?)\s+if\s+(.*)", re.DOTALL)
_NEAREST = 4
_PLACE = re.compile(r"(?:(.+):)?(\d+)")


def parse_place(console: Console, typed: str) -> Place:
    """Reads `FILE:LINE`; without a file that of the line where the program stands.

    Raises:
        UsageError: If it is no line of a file that is there.
    """
    match = _PLACE.fullmatch(typed)
    if match is None or int(match[2]) < 1:
        raise UsageError(f"{typed!r} is no line; write it as FILE:LINE, such as train.py:12")
    line = int(match[2])
    if match[1] is None:
        stop = console.runner.stop if console.runner is not None else None
        if stop is None or stop.place is None:
            raise UsageError(f"{typed!r} names no file; write it as FILE:LINE, such as train.py:12")
        return Place(stop.place.file, line)
    path = Path(match[1]).expanduser()
    if path.is_file():
        return Place(str(path.resolve()), line)
    try:
        return Place(find_file(console.opened, match[1]), line)
    except AbsentError as error:
        raise UsageError(f"{match[1]}: no such file; and {error}") from None


def line_to_break(console: Console, typed: str) -> tuple[Breakpoint, str]:
    """Reads `FILE:LINE` or `FILE:LINE if CONDITION`.

    Returns:
        The breakpoint, and what is to be said of it: that no operation has been made there yet, say.

    Raises:
        UsageError: If it is no line, no operation can be made there, or the condition is not understood.
    """
    place, condition = split_condition(typed)
    if _PLACE.fullmatch(place) is not None and ":" not in place:
        found = parse_place(console, place)
        place = f"{found.file}:{found.line}"
    return chosen_line(place, condition, _lines_of_operations(console))


def split_condition(typed: str) -> tuple[str, str]:
    """Takes `train.py:40 if loss > 10` apart."""
    match = _CONDITION.fullmatch(typed.strip())
    return (typed.strip(), "") if match is None else (match[1], match[2].strip())


def chosen_line(place: str, condition: str, known: Mapping[str, Collection[int]]) -> tuple[Breakpoint, str]:
    """The breakpoint at `FILE:LINE`, and what is to be said of it.

    Args:
        place: As it was typed.
        condition: Empty where there is none.
        known: By file the lines at which operations were made so far.

    Raises:
        UsageError: As `line_to_break`.
    """
    match = _PLACE.fullmatch(place)
    if match is None or match[1] is None or int(match[2]) < 1:
        raise UsageError(f"{place!r} is no line; write it as FILE:LINE, such as train.py:12")
    if condition:
        parse_line_condition(condition)
    file, line = _whole_name(match[1], known), int(match[2])
    met = sorted(known.get(file, ()))
    statements = statements_of(file)
    note = ""
    if statements is not None:
        statement = statements.at(line)
        if statement is None:
            lines = met or statements.lines
            what = "operations are made at" if met else "statements are at"
            raise UsageError(f"no operation can be made at {file}:{line}; the nearest {what} {_nearest(lines, line)}")
        if not any(statement.first <= each <= statement.last for each in met):
            note = "No operation has been made there yet; the program stops there once one is."
            note += f" The nearest so far: {_nearest(met, line)}." if met else ""
    elif line not in met:
        note = "No operation has been made in such a file yet; the program stops there once one is."
    return Breakpoint(BreakKind.LINE, f"{file}:{line}", condition), note


def _whole_name(typed: str, known: Collection[str]) -> str:
    """The path of a file that is there, or of the only one met that ends so; else what was typed, the end of one."""
    ending = f"/{typed.lstrip('./')}"
    met = [file for file in known if file == typed or file.endswith(ending)]
    if len(met) == 1:
        return met[0]
    path = Path(typed).expanduser()
    if path.is_file():
        return str(path.resolve())
    near = get_close_matches(path.name, {PurePath(file).name for file in known}, n=1)
    if near and near[0] != path.name:
        raise UsageError(f"{typed}: no such file; no operation was made in one of that name, did you mean {near[0]!r}?")
    return typed.removeprefix("./")


def _nearest(lines: Iterable[int], line: int) -> str:
    chosen = sorted(sorted(lines, key=lambda each: abs(each - line))[:_NEAREST])
    return f"{'line' if len(chosen) == 1 else 'lines'} {', '.join(map(str, chosen))}" if chosen else "no line"


def _lines_of_operations(console: Console) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for frames in console.opened.program.stacks.values():
        for frame in (each for each in frames if each.user):
            found.setdefault(frame.file, set()).add(frame.line)
    return found
