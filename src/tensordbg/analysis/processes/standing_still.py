"""Processes that all others wait for: they began fewer of the operations that all run together, and did not end.

Clocks are not needed for this: what all run together, all begin equally often. A process that has begun fewer than
the others, which have all begun as many, has the others waiting.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping

from tensordbg.advice.lookup import fix
from tensordbg.analysis.columns.reading import SummedTrace
from tensordbg.analysis.finding import Alert
from tensordbg.analysis.processes.names import several
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.details import Details, function_name
from tensordbg.analysis.program.locations import Locations

_STILL_NS = 10_000_000_000
"""Nothing has been computed for so long where all wait."""

_SHARE = 4
"""Of so many processes one may be waited for: where more of them lag, they are in other groups, as a rule."""


def standing_still(processes: Mapping[str, SummedTrace]) -> Iterator[Alert]:
    """One alert on all that are waited for."""
    behind = waited_for(processes)
    if behind:
        begun = {name: number for name, trace in processes.items() if (number := trace.sums().collectives)}
        yield _alert(behind, begun, {name: processes[name] for name in behind})


def waited_for(processes: Mapping[str, SummedTrace]) -> list[str]:
    """The names of those that all others wait for."""
    begun = {name: number for name, trace in processes.items() if (number := trace.sums().collectives)}
    most = max(begun.values(), default=0)
    late = [name for name, number in begun.items() if number < most]
    if not most or not late or len(late) > max(1, len(begun) // _SHARE):
        return []
    if len(late) == len(begun) - 1 and len(begun) > 2:
        return []
    behind = [name for name in late if not ended_well(processes[name])]
    usual = Counter(begun[name] for name in begun if name not in late)
    newest = max(processes[name].sums().last_ns for name in begun)
    # Of a program that runs, one process is looked at after another: they can be compared where nothing moves.
    return behind if len(usual) == 1 and is_idle_since(newest) else []


def is_idle_since(last_ns: int) -> bool:
    """Whether nothing has been computed for so long that more is not to be expected soon."""
    return time.time_ns() - last_ns > _STILL_NS


def ended_well(trace: SummedTrace) -> bool:
    """Whether a process came to its own end, without an error."""
    end = trace.facts.end
    return end is not None and end.exit_code == 0 and end.signal is None


def _alert(behind: list[str], begun: Mapping[str, int], late: Mapping[str, SummedTrace]) -> Alert:
    first = min(behind, key=lambda name: begun[name])
    trace = late[first]
    count = trace.count("tensors")
    view = Details(trace, program := read_program(trace)).views([count - 1])[count - 1]
    site = program.sites.get(view.site)
    locations = Locations(program)
    most = max(begun.values())
    return Alert(
        kind="standing_still",
        function="" if site is None else function_name(program, site),
        tensor=view.tensor,
        source=None if site is None else locations.own(locations.stack(site.stack)),
        explanation=(
            f"{several(behind)} began {begun[first]:,} of the operations that all processes run together, the "
            f"{'others' if len(begun) > 2 else 'other'} {most:,}, and waited for it; the last that it computed was "
            f"{view.tensor} in step {view.step}"
        ),
        suggestion=fix("" if site is None else site.framework, "standing_still"),
        evidence={"processes": behind, "begun": begun[first], "others_begun": most},
        process=first,
    )
