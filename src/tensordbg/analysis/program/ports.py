"""Ports: every output of every site gets a number, those of one graph a run of numbers without gaps.

A block is what one invocation runs: the graph of a function, or a single eager site. With the ports of a block side by
side, a value that the program computed has an address (where its invocation's ports begin, plus its port), and the
edges of a graph become additions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.operations import operation_of
from tensordbg.errors import TraceError
from tensordbg.model import NONE, CallKind, TensorRef
from tensordbg.operations.traits import Trait

_OUTPUTS = 64
_SOME_OUTPUTS = 2**20
"""A trace describes no more outputs than these, and so many times those that it names."""

_NUMBERS_WITHOUT_SPECIALS = ("int", "uint", "bool", "string", "resource", "qint", "quint")


@dataclass(frozen=True)
class Edges:
    """Which ports each site takes, in order."""

    starts: Ints
    """Where each site's ports begin; one element more than there are sites."""
    ports: Ints

    def of(self, site: int) -> Ints:
        """The ports that a site takes."""
        return self.ports[self.starts[site] : self.starts[site + 1]]


@dataclass(frozen=True)
class Ports:
    """The numbering, and the edges between ports."""

    first: Ints
    """First port of each site."""
    count: Ints
    """Ports of each site, at least one: an operation without outputs (an assignment) has one that stands for it."""
    site: Ints
    """Site of each port."""
    block: Ints
    """Block of each site: its function's graph, or for eager sites a number of its own above those."""
    block_first: Ints
    """First port of each block."""
    block_size: Ints
    """Ports of each block."""
    may_be_bad: Bools
    """Whether a port's dtype can hold a NaN or an infinity, or pass one on (a list of tensors)."""
    inputs: Edges
    """The ports that each site takes."""
    carrying: Edges
    """Of those the ones through which something bad may come."""
    argument: Ints
    """Position among its function's arguments of each site, `NONE` for all others."""
    followed: Bools
    """Whether each site calls functions in a way that is followed."""

    def of(self, ref: TensorRef) -> int:
        """The port of an output; `NONE` where the trace does not hold the site."""
        if not 0 <= ref.site < len(self.first) or ref.slot >= self.count[ref.site]:
            return NONE
        return int(self.first[ref.site]) + ref.slot


def number_ports(program: Program, event_sites: Ints, event_slots: Ints) -> Ports:
    """Number the outputs of all sites.

    Args:
        program: The sites and edges.
        event_sites: Sites of recorded tensors; with `event_slots` they show outputs that nothing else mentions.
        event_slots: Slots of recorded tensors.
    """
    count = _slot_counts(program, event_sites, event_slots)
    sites = len(count)
    graph = np.full(sites, NONE, dtype=np.int64)
    argument = np.full(sites, NONE, dtype=np.int64)
    followed = np.zeros(sites, dtype=np.bool_)
    for number, site in program.sites.items():
        graph[number] = site.function
        argument[number] = site.argument
        followed[number] = site.call in (CallKind.CALL, CallKind.IF, CallKind.WHILE) and bool(site.called)
    named = (max(number, function.graph) for number, function in program.functions.items())
    graphs = max([*named, int(graph.max(initial=-1))]) + 1
    block = np.where(graph >= 0, graph, graphs + np.arange(sites))
    order = np.argsort(block, kind="stable")
    first = np.empty(sites, dtype=np.int64)
    first[order] = np.cumsum(count[order]) - count[order]
    block_size = np.bincount(block, weights=count, minlength=graphs + sites).astype(np.int64)
    site_of_port = np.repeat(order, count[order])
    may_be_bad = _may_be_bad(program, first, int(count.sum()))
    edges = _known_edges(program, sites)
    free = [number for number, site in program.sites.items() if operation_of(site).has(Trait.SHAPE_ONLY)]
    source = first[edges[:, 2]] + edges[:, 3]
    carrying = may_be_bad[source] & ~np.isin(edges[:, 0], free)
    return Ports(
        first=first,
        count=count,
        site=site_of_port,
        block=block,
        block_first=np.cumsum(block_size) - block_size,
        block_size=block_size,
        may_be_bad=may_be_bad,
        inputs=_edges(edges[:, 0], source, sites),
        carrying=_edges(edges[carrying, 0], source[carrying], sites),
        argument=argument,
        followed=followed,
    )


def _slot_counts(program: Program, event_sites: Ints, event_slots: Ints) -> Ints:
    count = np.ones(max(program.site_count, int(event_sites.max(initial=-1)) + 1), dtype=np.int64)
    for number, site in program.sites.items():
        count[number] = max(1, len(site.dtypes))
    for function in program.functions.values():
        for ref in function.outputs:
            if 0 <= ref.site < len(count):
                count[ref.site] = max(count[ref.site], ref.slot + 1)
    known = (program.edges[:, 2] >= 0) & (program.edges[:, 2] < len(count))
    np.maximum.at(count, program.edges[known, 2], program.edges[known, 3] + 1)
    if event_slots.max(initial=0) > 0:
        later = event_slots > 0
        np.maximum.at(count, event_sites[later], event_slots[later] + 1)
    named = sum(len(site.dtypes) for site in program.sites.values()) + len(program.edges) + len(event_sites)
    if count.sum() > _SOME_OUTPUTS + _OUTPUTS * (len(count) + named):
        raise TraceError(
            f"the operations of this trace have {count.sum():,} outputs, of which {named:,} are named: it is damaged; "
            "restore it from a copy, or record again"
        )
    return count


def _may_be_bad(program: Program, first: Ints, ports: int) -> Bools:
    result = np.ones(ports, dtype=np.bool_)
    for number, site in program.sites.items():
        for slot, dtype in enumerate(site.dtypes):
            if dtype.startswith(_NUMBERS_WITHOUT_SPECIALS):
                result[first[number] + slot] = False
    return result


def _known_edges(program: Program, sites: int) -> Ints:
    edges = program.edges
    return edges[(edges[:, 2] >= 0) & (edges[:, 2] < sites) & (edges[:, 0] < sites)]


def _edges(consumers: Ints, ports: Ints, sites: int) -> Edges:
    return Edges(np.searchsorted(consumers, np.arange(sites + 1)), ports)
