"""Tables: values of which operations take some rows by their index, such as the vectors of words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import Site, TensorRef
from tensordbg.operations.kinds import Kind


def is_table(values: Values, event: int) -> bool:
    """Whether a tensor is looked up by rows, or fills a store that is, and nothing else is done with it."""
    site = int(values.events.site[event])
    port = int(values.port[event])
    taken = [*_in_graphs(values, port), *_eagerly(values, event, site)]
    return bool(taken) and all(_looks_up(taker, position) for taker, position in taken)


def _in_graphs(values: Values, port: int) -> Iterator[tuple[Site, int]]:
    """The operations of graphs that take a port, each with the position at which it does."""
    ref = TensorRef(int(values.ports.site[port]), port - int(values.ports.first[values.ports.site[port]]))
    edges = values.ports.inputs
    places = np.flatnonzero(edges.ports == port)
    for number in np.unique(np.searchsorted(edges.starts, places, side="right") - 1).tolist():
        taker = values.program.sites.get(number)
        if taker is not None and ref in (given := values.program.inputs_of(number)):
            yield taker, given.index(ref)


def _eagerly(values: Values, event: int, site: int) -> Iterator[tuple[Site, int]]:
    """The eager operations that took what an execution gave, each with the position at which it does."""
    executions = values.executions
    row = int(values.events.execution[event])
    if row < 0 or int(executions.site[row]) != site:
        return
    places = np.flatnonzero(executions.input_row == row)
    takers = np.searchsorted(executions.input_starts, places, side="right") - 1
    for taker, place in zip(takers.tolist(), places.tolist(), strict=True):
        found = values.program.sites.get(int(executions.site[taker]))
        if found is not None:
            yield found, place - int(executions.input_starts[taker])


def _looks_up(taker: Site, position: int) -> bool:
    operation = operation_of(taker)
    fills = operation.puts_into == "table"
    return fills or (operation.kind is Kind.GATHER and position not in operation.indices)
