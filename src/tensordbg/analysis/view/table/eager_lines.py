"""The lines of the program from which eager code reached an operation, as a name that tells its calls apart.

A loss that is computed by one line in training and by another in validation is two series; so is a layer that is called
from two lines, though its own is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from tensordbg.analysis.program.description import Program

Line = tuple[str, int]
"""A file and a line of it."""


def lines_of(program: Program, site: int) -> tuple[Line, ...]:
    """The program's own lines that led to a site, the outermost first; those of libraries vary by call."""
    described = program.sites.get(site)
    frames = () if described is None else program.stacks.get(described.stack, ())
    return tuple((frame.file, frame.line) for frame in frames if frame.user)


def titles_of(stacks: Sequence[tuple[Line, ...]]) -> dict[tuple[Line, ...], str]:
    """`train.py:15`: the innermost line, and where several have the same, `net.py:9 from train.py:15`."""
    return {stack: _title(stack, [other for other in stacks if other[-1:] == stack[-1:]]) for stack in stacks}


def _title(stack: tuple[Line, ...], alike: Sequence[tuple[Line, ...]]) -> str:
    if not stack:
        return ""
    if len(alike) == 1:
        return _words(stack[-1])
    apart = next((at for at, line in enumerate(stack) if any(other[at : at + 1] != (line,) for other in alike)), -1)
    return _words(stack[-1]) if stack[apart] == stack[-1] else f"{_words(stack[-1])} from {_words(stack[apart])}"


def _words(line: Line) -> str:
    return f"{PurePath(line[0]).name}:{line[1]}"
