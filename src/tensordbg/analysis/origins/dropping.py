"""Whether a bad value was dropped: what was made from it ended at operations that made finite values of it.

That is another thing than a value of which nothing more was computed, since the program did not ask for it: a session
that fetches only the training operation computes the logarithm for its gradient, and not the loss.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.flow.graph import BadGraph
from tensordbg.analysis.flow.values import Values
from tensordbg.model import NONE


class Dropping:
    """Follows bad values to where they end; one for all origins of a trace."""

    def __init__(self, values: Values, graph: BadGraph, gradient_site: Bools) -> None:
        """`gradient_site` tells of each site whether it belongs to a backward pass, which drops nothing."""
        self._values = values
        self._graph = graph
        self._gradient_site = gradient_site

    def of(self, node: int) -> bool:
        """Whether an operation of the forward pass took what was made from a node and put out finite values."""
        return any(True for _ in self.made_finite(node))

    def made_finite(self, node: int) -> Iterator[int]:
        """Yields the events of the finite values that operations of the forward pass made of it."""
        graph, values = self._graph, self._values
        marks = np.zeros(len(graph), dtype=np.int64)
        marks[node] = 1
        below = np.flatnonzero((graph.descend(marks) > 0) & (graph.event != NONE))
        for event in graph.event[below].tolist():
            yield from self._made_finite(int(values.invocation[event]), int(values.port[event]))

    def _made_finite(self, invocation: int, port: int) -> list[int]:
        values, ports = self._values, self._values.ports
        if values.invocations.place[invocation] == NONE:
            return self._made_finite_eagerly(invocation, port)
        takers = np.searchsorted(ports.inputs.starts, np.flatnonzero(ports.inputs.ports == port), side="right") - 1
        takers = takers[~self._gradient_site[takers] & (ports.block[takers] == values.invocations.block[invocation])]
        made = [ports.first[site] + slot for site in takers.tolist() for slot in range(int(ports.count[site]))]
        return self._finite(np.full(len(made), invocation), np.array(made, dtype=np.int64))

    def _made_finite_eagerly(self, row: int, port: int) -> list[int]:
        values, ports = self._values, self._values.ports
        executions = values.executions
        slot = port - int(ports.first[ports.site[port]])
        given = np.flatnonzero((executions.input_row == row) & (executions.input_slot == slot))
        takers = np.searchsorted(executions.input_starts, given, side="right") - 1
        site = executions.site[takers]
        takers = takers[(executions.function[takers] == NONE) & (site != NONE)]
        takers = takers[~self._gradient_site[executions.site[takers]]]
        return self._finite(takers, ports.first[executions.site[takers]])

    def _finite(self, invocation: np.ndarray, port: np.ndarray) -> list[int]:
        values = self._values
        useful = values.ports.may_be_bad[port]
        event = values.event(invocation[useful], port[useful])
        event = event[event != NONE]
        found: list[int] = event[~values.events.bad[event]].tolist()
        return found
