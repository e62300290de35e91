"""From the name of a source file, as it is typed, to one that the trace holds."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import PurePath
from typing import TYPE_CHECKING

from tensordbg.errors import AbsentError

if TYPE_CHECKING:
    from tensordbg.analysis.view.records.sites import NamedSites


def find_file(opened: NamedSites, typed: str) -> str:
    """The whole path of a file; the end of it is enough where it is the only one.

    Raises:
        AbsentError: If the trace holds no such file, or several.
    """
    files = list(opened.program.sources)
    if typed in files:
        return typed
    ending = f"/{typed.lstrip('./')}"
    found = [file for file in files if file.endswith(ending)]
    if len(found) == 1:
        return found[0]
    if found:
        raise AbsentError(f"{len(found)} files are named {typed!r}; choose one of {', '.join(sorted(found)[:3])}")
    names = {PurePath(file).name: file for file in files}
    near = get_close_matches(PurePath(typed).name, list(names), n=1)
    hint = f"did you mean {near[0]!r}?" if near else "`ls` lists them"
    raise AbsentError(f"no source file {typed!r} is in the trace; {hint}")
