"""The graph of what is not finite: which bad value was made from which.

Its nodes are the events that are not finite and, between them, values that could be bad but have no event: results of
calls, arguments, identities, lists of tensors, writes of variables. Edges lead from a value to what it was made from.
It is built back from the bad events, one step for all open nodes at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.columns.spread import spread
from tensordbg.analysis.flow.callbacks import callback_links
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.order import in_program_order
from tensordbg.analysis.flow.pipelines import pipeline_links
from tensordbg.analysis.flow.stores import store_links
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.flow.variables import Variables
from tensordbg.model import NONE

_PIECE = 1 << 19
"""So many nodes are walked back from at a time, which bounds the memory that it takes."""


@dataclass(frozen=True)
class BadGraph:
    """Nodes as columns; the first of them are the bad events in the order of their number."""

    event: Ints
    """`NONE` for a value without an event."""
    invocation: Ints
    port: Ints
    rank: Ints
    """Position in the order of the program, which is nearly that of the data flow."""
    child: Ints
    """For each edge the value made."""
    parent: Ints
    """For each edge the value that it was made from."""

    def __len__(self) -> int:
        return len(self.event)

    def with_edges(self, child: Ints, parent: Ints) -> BadGraph:
        """Returns a graph with these edges in addition to its own."""
        return replace(
            self,
            child=np.concatenate([self.child, child.astype(self.child.dtype)]),
            parent=np.concatenate([self.parent, parent.astype(self.parent.dtype)]),
        )

    def descend(self, marks: Ints) -> Ints:
        """Carry marks to all that was made from a node."""
        return spread(marks, self.parent, self.child, self.rank)

    def ascend(self, marks: Ints) -> Ints:
        """Carry marks back to all that a node was made from."""
        return spread(marks, self.child, self.parent, -self.rank)


@dataclass
class GraphBuilder:
    """Collects nodes and edges."""

    values: Values
    variables: Variables
    flow: Flow
    node_at: Ints = field(init=False)
    """The node at each address, `NONE` where there is none."""
    _columns: list[tuple[Ints, Ints, Ints]] = field(default_factory=list)
    _count: int = 0
    _edges: list[tuple[Ints, Ints]] = field(default_factory=list)
    _open: list[tuple[Ints, Ints, Ints]] = field(default_factory=list)
    _known_variables: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.node_at = np.full(len(self.values.event_at), -1, dtype=np.int32)
        bad = np.flatnonzero(self.values.events.bad)
        self._add(self.values.invocation[bad], self.values.port[bad], bad)
        # The nodes of the bad events stand in the order of their number.
        self.join(*pipeline_links(self.values))
        self.join(*store_links(self.values))
        called = callback_links(self.values)
        self.join(called.result, called.computed)
        self.link(np.searchsorted(bad, called.entered), called.invocation, called.port)

    def nodes(self, invocation: Ints, port: Ints) -> Ints:
        """The nodes of some values, new ones where needed; `NONE` for a value whose event is finite."""
        address = self.values.address(invocation, port)
        unknown = np.flatnonzero((self.node_at[address] == NONE) & self._tells_nothing(self.values.event_at[address]))
        if len(unknown):
            _, position = np.unique(address[unknown], return_index=True)
            new = unknown[position]
            self._add(invocation[new], port[new], np.full(len(new), NONE, dtype=np.int64))
        return self.node_at[address].astype(np.int64)

    def _tells_nothing(self, event: Ints) -> Bools:
        """Whether values have no event, or one that doesn't tell whether it is finite."""
        none: Bools = event == NONE
        unmeasured = self.values.events.unmeasured
        return none if unmeasured is None else none | unmeasured[event]

    def link(self, child: Ints, invocation: Ints, port: Ints) -> None:
        """Say that nodes were made from some values."""
        ports, invocations = self.values.ports, self.values.invocations
        # Where a part of the trace is lost, a result can seem to be one of another graph.
        wanted = ports.may_be_bad[port] & (ports.block[ports.site[port]] == invocations.block[invocation])
        wanted &= child != NONE  # a write that put out finite values
        parent = self.nodes(invocation[wanted], port[wanted])
        bad = parent != NONE
        self._add_edges(child[wanted][bad], parent[bad])

    def join(self, made: Ints, source: Ints) -> None:
        """Say that some bad events were made from others."""
        bad = np.flatnonzero(self.values.events.bad)
        self._add_edges(np.searchsorted(bad, made), np.searchsorted(bad, source))

    def finish(self) -> BadGraph:
        """Walk back until nothing is open."""
        while self._open:
            node, invocation, port = self._open.pop(0)
            step = self.flow.sources(invocation, port)
            self.link(node[step.of], step.invocation, step.port)
            self._link_variables(port)
        event, invocation, port = (np.concatenate(column) for column in zip(*self._columns, strict=True))
        edges = [np.stack(pair) for pair in self._edges] or [np.empty((2, 0), dtype=np.int32)]
        child, parent = np.concatenate(edges, axis=1)
        rank = np.empty(len(event), dtype=np.int32)
        rank[in_program_order(self.values, invocation, self.values.ports.site[port])] = np.arange(len(event))
        return BadGraph(event, invocation, port, rank, child, parent)

    def _add_edges(self, child: Ints, parent: Ints) -> None:
        self._edges.append((child.astype(np.int32), parent.astype(np.int32)))

    def _add(self, invocation: Ints, port: Ints, event: Ints) -> None:
        node = self._count + np.arange(len(invocation))
        self._count += len(node)
        self.node_at[self.values.address(invocation, port)] = node
        self._columns.append((event.astype(np.int32), invocation.astype(np.int32), port.astype(np.int32)))
        for first in range(0, len(node), _PIECE):
            piece = slice(first, first + _PIECE)
            self._open.append((node[piece], invocation[piece], port[piece]))

    def _link_variables(self, port: Ints) -> None:
        site = np.unique(self.values.ports.site[port])
        for number in site[self.variables.reading[site]].tolist():
            for variable in self.variables.read_by[number]:
                if variable not in self._known_variables:
                    self._known_variables.add(variable)
                    later, earlier = self.variables.steps_back(variable)
                    self.link(self.nodes(*later), *earlier)
