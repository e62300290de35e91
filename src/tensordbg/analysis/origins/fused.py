"""Notes on origins inside of what a compiler made of several operations.

What such a kernel computes on the way has no events of its own: it was computed once more, from what the kernel was
given. Where that was gone, it is known only what the kernel consists of. Branches and loops of a compiled graph are
known by what they give alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from tensordbg.analysis.finding import Origin
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import FUSED, Site
from tensordbg.operations.traits import Trait

_SHOWN = 6
_AGAIN = "its operations were run again, eagerly, on what the kernel was given, and these are their numbers"
_UNSEEN = (
    "runs as a whole in compiled code: the operations in its branches or its loop are not seen; run the program "
    "uncompiled, and the one that began is named"
)
_GONE = "these could not be run again, since what the kernel was given was gone"


def fused_notes(values: Values, origins: Iterable[Origin]) -> tuple[str, ...]:
    """Returns a line for each origin in such a kernel, branch or loop."""
    program, found = values.program, dict[str, None]()
    recorded = set(values.events.site.tolist())
    for origin in origins:
        site = program.sites.get(origin.view.site)
        if site is None:
            continue
        place = f", {origin.source.file}:{origin.source.line}" if origin.source is not None else ""
        name = f"{origin.view.tensor} ({site.op_type}{place})"
        inside = "was computed inside a fused kernel of compiled code"
        if operation_of(site).has(Trait.RUNS_UNSEEN):
            found[f"{name} {_UNSEEN}"] = None
        elif is_fused(site):
            found[f"{name} {inside}; {_AGAIN}"] = None
        elif unseen := _unseen_inside(program, site, recorded):
            found[f"{name} {inside}, together with {_listed(unseen)}; {_GONE}"] = None
    return tuple(found)


def is_fused(site: Site) -> bool:
    """Whether a compiled kernel keeps the operation's result to itself."""
    return FUSED in site.attributes and bool(json.loads(site.attributes).get(FUSED))


def _unseen_inside(program: Program, site: Site, recorded: set[int]) -> list[Site]:
    """The operations fused with one, of which nothing is recorded."""
    found: dict[int, Site] = {}
    waiting = [site.site]
    while waiting:
        for ref in program.inputs_of(waiting.pop()):
            behind = program.sites.get(ref.site)
            if behind is not None and ref.site not in found and ref.site not in recorded and is_fused(behind):
                found[ref.site] = behind
                waiting.append(ref.site)
    return list(found.values())


def _listed(sites: list[Site]) -> str:
    types = list(dict.fromkeys(site.op_type for site in sites))
    more = f" and {len(types) - _SHOWN} more" if len(types) > _SHOWN else ""
    return ", ".join(types[:_SHOWN]) + more
