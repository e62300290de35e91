"""Tells why something ran at all: operations only wait for it, or its function runs it though no result needs it."""

from __future__ import annotations

import json
from collections.abc import Iterable

from tensordbg.analysis.program.description import Program
from tensordbg.model import RUNS_ANYWAY, WAITS_FOR, Site


def waits_for(program: Program, site: Site) -> tuple[int, ...]:
    """The sites of its graph that an operation only waits for; none where the trace does not tell."""
    if f'"{WAITS_FOR}"' not in site.attributes:
        return ()
    told = json.loads(site.attributes).get(WAITS_FOR)
    numbers = [each for each in told if isinstance(each, int)] if isinstance(told, list) else []
    return tuple(each for each in numbers if each in program.sites and program.sites[each].function == site.function)


def runs_anyway(site: Site) -> bool:
    """Whether its function runs it for what it does, whether or not a result needs it."""
    return f'"{RUNS_ANYWAY}"' in site.attributes and json.loads(site.attributes).get(RUNS_ANYWAY) is True


def are_recorded(sites: Iterable[Site]) -> bool:
    """Whether anything is told of some sites; a trace of an earlier version tells nothing."""
    return any(f'"{WAITS_FOR}"' in site.attributes or f'"{RUNS_ANYWAY}"' in site.attributes for site in sites)
