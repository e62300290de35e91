"""The iterations of loops in which an operation failed, where what was recorded leaves no doubt which they were.

The iterations of a loop overlap: when one fails, a later one may have all that it takes. A number of the message tells
which it was, where one of them alone has it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.recorded import RecordedPast
from tensordbg.analysis.failures.failed_iteration import numbers_of
from tensordbg.analysis.finding import LoopIteration
from tensordbg.analysis.flow.loop_iterations import iterations_of
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind


def failed_loops(past: RecordedPast, site: Site, message: str, locations: Locations) -> tuple[LoopIteration, ...]:
    """The iteration of each loop around a failed operation, the outermost first; empty where that isn't certain."""
    if site.function == NONE:
        return ()
    taking, runs = past.failed_at(site)
    if len(runs) > 1:
        asserts = operation_of(site).kind is Kind.ASSERT
        numbers = {0.0} if asserts else numbers_of(message)
        places = slice(1) if asserts else slice(None)  # what is asserted comes first
        runs = [run for run in runs if _has_one(past.inputs_at(run, taking)[places], numbers)]
    if len(runs) != 1:
        return ()
    sites = past.values.program.sites
    return tuple(
        LoopIteration(iteration, locations.own(locations.stack(sites[loop].stack)))
        for loop, iteration in iterations_of(past.values, runs[0])
    )


def _has_one(given: Sequence[Made | None], numbers: set[float]) -> bool:
    """Whether the least or the largest number in what was given is one of some numbers."""
    known = (number for made in given if made is not None for number in (made.low, made.high) if number is not None)
    return any(number in numbers for number in known)
