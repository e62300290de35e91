"""Filters that a program brings along for when it is debugged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensordbg.recording.session import Session

if TYPE_CHECKING:
    from tensordbg.console.language.predicates import Predicate


def add_filter(name: str, predicate: Predicate) -> None:
    """Names a filter for `run -f NAME`, `lt -f NAME` and `break -f NAME` of `tdbg debug`.

    Where the program is not debugged, nothing happens, so the call may stay in it.

    Args:
        name: A word of letters, digits and `_`; one of an earlier call is replaced.
        predicate: Called with a tensor (`tensor`, its name, `op_type`, `function`, `step`, `dtype`, `shape`, `health`)
            and its elements, None where they were not kept; says whether it passes.

    Raises:
        UsageError: If the name can't be one of a filter.
    """
    session = Session.current()
    if session is None or session.recorder.watch is None:
        return
    from tensordbg.debug.debugger import Debugger

    if isinstance(session.recorder.watch, Debugger):
        session.recorder.watch.program.set.filters.add(name, predicate)
