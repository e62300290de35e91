"""What a breakpoint may name, checked against what the trace holds so far."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tensordbg.console.files import find_file
from tensordbg.console.page import Place
from tensordbg.errors import AbsentError, UsageError

if TYPE_CHECKING:
    from tensordbg.console.console import Console

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
