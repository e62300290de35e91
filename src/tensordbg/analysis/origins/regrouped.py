"""Finite events that can't be what their operation gave, as it was given a NaN or an infinity.

TensorFlow makes `(a * c) * b` of `a * (b * c)`, of equal shapes too, and leaves the names where they were: what is
recorded as `b * c` then is `a * c`. A sum or a product with a NaN is NaN in that element, with an infinity it is NaN or
infinite, so one that is finite throughout proves it. Such an event tells nothing of its operation: the trail passes it
over, and goes through it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints, spread_ranges
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.resolve import resolve
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE
from tensordbg.operations.traits import Trait

_MOST = 20
"""So many regrouped operations in a row are found."""
_MOST_LOOKED_UP = 3000
"""So many values without an event of their own are followed to what they are."""


def without_regrouped(values: Values, details: Details) -> Values:
    """Leaves out events that are not their operation's, since TensorFlow regrouped operations."""
    suspects, owner, invocation, port = _suspects(values)
    nan, bad = (np.append(column, False) for column in (values.events.nan, values.events.bad))
    told = _events_of(values, invocation, port)
    divides = np.zeros(len(values.ports.first), dtype=np.bool_)
    divides[[site.site for site in values.program.sites.values() if operation_of(site).has(Trait.DIVIDES)]] = True
    # What is divided by an infinity is 0.
    tainted = np.where(divides[values.events.site[suspects[owner]]], nan[told], bad[told])
    regrouped = np.zeros(len(values.events) + 1, dtype=np.bool_)
    for _ in range(_MOST):
        found = suspects[np.unique(owner[tainted | regrouped[told]])]
        found = found[~regrouped[found]]
        if not len(found):
            break
        regrouped[found[_hold_elements(details, found)]] = True
        rejected = found[~regrouped[found]]
        kept = ~np.isin(suspects[owner], rejected)
        owner, told, tainted = owner[kept], told[kept], tainted[kept]
    events = np.flatnonzero(regrouped)
    if not len(events):
        return values
    event_at = values.event_at.copy()
    event_at[values.address(values.invocation[events], values.port[events])] = NONE
    return replace(values, event_at=event_at)


def _events_of(values: Values, invocation: Ints, port: Ints) -> Ints:
    """The events of some values; of what a loop gave, or an identity handed on, that of what it was."""
    address = values.address(invocation, port)
    told = values.event_at[address].copy()
    unknown = np.flatnonzero(told == NONE)
    flow = Flow(values, values.ports.carrying)
    _, first, inverse = np.unique(address[unknown], return_index=True, return_inverse=True)
    found = np.full(len(first), NONE, dtype=np.int64)
    for number, row in enumerate(unknown[first[:_MOST_LOOKED_UP]].tolist()):
        events = resolve(flow, int(invocation[row]), int(port[row]))
        found[number] = events[-1] if len(events) == 1 else NONE
    told[unknown] = found[inverse]
    return told


def _suspects(values: Values) -> tuple[Ints, Ints, Ints, Ints]:
    """Finite events of operations that hand on what is not finite; of each input which of these took it, and where."""
    events, ports = values.events, values.ports
    strict = np.zeros(len(ports.first), dtype=np.bool_)
    strict[[site.site for site in values.program.sites.values() if operation_of(site).has(Trait.STRICT)]] = True
    strict[_results(values)] = False  # what is returned is kept as it is
    in_graph = np.append([place.number for place in values.places.all], NONE) != NONE
    with_bad = np.zeros(len(values.executions) + 1, dtype=np.bool_)
    with_bad[events.execution[events.bad]] = True
    chosen = strict[events.site] & ~events.bad & with_bad[events.execution]
    suspects = np.flatnonzero(chosen)
    suspects = suspects[in_graph[values.invocations.place[values.invocation[suspects]]]]
    starts = ports.carrying.starts[events.site[suspects]]
    owner, edge = spread_ranges(starts, ports.carrying.starts[events.site[suspects] + 1] - starts)
    taken, invocation = ports.carrying.ports[edge], values.invocation[suspects[owner]]
    inside = ports.block[ports.site[taken]] == values.invocations.block[invocation]
    owner, taken, invocation = owner[inside], taken[inside], invocation[inside]
    return suspects, owner, invocation, taken


def _results(values: Values) -> list[int]:
    """The operations whose results functions return, also by way of identities."""
    program, found = values.program, set[int]()
    waiting = [ref.site for function in program.functions.values() for ref in function.outputs]
    while waiting:
        site = program.sites.get(waiting.pop())
        if site is not None and site.site not in found:
            found.add(site.site)
            if operation_of(site).has(Trait.PASSES):
                waiting.extend(ref.site for ref in program.inputs_of(site.site))
    return sorted(found)


def _hold_elements(details: Details, events: Ints) -> Bools:
    """Which events were measured and hold elements at all: nothing comes of a NaN where nothing is."""
    rows = details.columns(events, ["size", "nan"])
    return np.array([bool(row["size"]) and row["nan"] is not None for row in rows], dtype=np.bool_)
