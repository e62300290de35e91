"""The line in a Python function that a graph called, where that raised: it stands in the message, in no stack."""

from __future__ import annotations

import re

from tensordbg.analysis.failures.lead import message_of_one_line
from tensordbg.analysis.finding import Beginning
from tensordbg.analysis.program.locations import Locations
from tensordbg.packages import is_among_packages

_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>\S+)\s*$', re.MULTILINE)
_WRITTEN = re.compile(r"__autograph_generated_file|^<")
"""Files that are not the user's text."""


def _is_of_program(file: str) -> bool:
    return not _WRITTEN.search(file) and not is_among_packages(file)


def is_of_python(message: str) -> bool:
    """Whether a message tells of a line of the program's Python code."""
    return any(_is_of_program(frame["file"]) for frame in _FRAME.finditer(message))


def raised_in_python(message: str, locations: Locations) -> tuple[Beginning, ...]:
    """The innermost line of the program's that a message tells of; nothing for any other message."""
    frames = [frame for frame in _FRAME.finditer(message) if _is_of_program(frame["file"])]
    if not frames:
        return ()
    frame = frames[-1]
    source = locations.own((locations.line(frame["file"], int(frame["line"]), frame["function"], True),))
    words = f"{frame['function']}() raised {message_of_one_line(message)}"
    return (Beginning("python", "", "", "", words, source),)
