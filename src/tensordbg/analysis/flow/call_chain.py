"""The stack that tells where an operation comes from: its own, or that of the call through which it ran.

The operations of a loaded model were made in another program and have no stack in this one, but the calls of its
functions have.
"""

from __future__ import annotations

from collections.abc import Iterator

from tensordbg.analysis.flow.values import Values
from tensordbg.model import NONE, Site


def telling_stack(values: Values, event: int, site: Site) -> int:
    """The number of the first stack, from the operation outwards, that has a line of the user's; else its own."""
    stacks = values.program.stacks
    for number in (site.stack, *_stacks_of_calls(values, event)):
        if any(frame.user for frame in stacks.get(number, ())):
            return number
    return site.stack


def _stacks_of_calls(values: Values, event: int) -> Iterator[int]:
    """The stacks of the calls around an event, innermost first; the last is that of its execution."""
    sites, places = values.program.sites, values.places.all
    invocation = int(values.invocation[event])
    place = int(values.invocations.place[invocation])
    while place != NONE:
        call = sites.get(places[place].call_site)
        if call is not None:
            yield call.stack
        place = places[place].parent
    execution = int(values.invocations.execution[invocation])
    if execution != NONE:
        called_at = sites.get(int(values.executions.site[execution]))
        if called_at is not None:
            yield called_at.stack
