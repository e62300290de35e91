"""Operations that compute the same: where the runtime kept one of them, it speaks for the others.

`tf.log(q)` that is written twice runs once. The other leaves no events, so what was made of it would seem to have made
its NaN itself. What took it is taken to have been given the one that ran.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import groupby

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.equality import computing_attributes
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE, CallKind, Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait


def with_twins(program: Program, seen: Ints) -> Program:
    """Lets whatever took the output of an operation without events take that of the operation's twin.

    Args:
        program: The program.
        seen: The sites that have events.
    """
    with_events = set(np.unique(seen).tolist())
    taken = set(np.unique(program.edges[:, 2]).tolist()) - with_events
    silent = {site.site for site in program.sites.values() if site.site in taken and _computes(site)}
    if not silent:
        return program
    twin = dict(_twins(program, silent, with_events))
    if not twin:
        return program
    edges = program.edges.copy()
    for site, other in twin.items():
        edges[program.edges[:, 2] == site, 2] = other
    return replace(program, edges=edges)


def _twins(program: Program, silent: Collection[int], with_events: Collection[int]) -> Iterator[tuple[int, int]]:
    """Each silent operation with the first with events that computes the same."""
    graphs = {program.sites[site].function for site in silent}
    for graph in graphs:
        alike = _alike(program, sorted(program.sites_of_graph[graph], key=lambda site: site.site))
        for _, members in groupby(sorted(alike, key=alike.__getitem__), key=alike.__getitem__):
            together = sorted(members)
            speaking = next((site for site in together if site in with_events), NONE)
            if speaking != NONE:
                yield from ((site, speaking) for site in together if site in silent)


def _alike(program: Program, sites: Iterable[Site]) -> dict[int, int]:
    """For each operation of a graph a number, the same for those that compute the same."""
    numbers: dict[object, int] = {}
    found: dict[int, int] = {}
    for site in sites:
        given = tuple((found.get(ref.site, ("ahead", ref.site)), ref.slot) for ref in program.inputs_of(site.site))
        what = (site.op_type, computing_attributes(site), site.dtypes, given) if _computes(site) else site.site
        found[site.site] = numbers.setdefault(what, len(numbers))
    return found


def _computes(site: Site) -> bool:
    """Whether an operation gives the same for the same, and there is no other thing to it."""
    if site.function == NONE or site.call is not CallKind.NONE or site.argument != NONE or site.reads or site.writes:
        return False
    if operation_of(site).kind is Kind.CONSTANT:
        return '"value"' in site.attributes
    return not operation_of(site).has(Trait.STANDS_ALONE)
