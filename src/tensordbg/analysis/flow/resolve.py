"""From a value to the events that tell of it, finite or not: what an operation was given.

Identities, arguments and calls have no events; the walk goes through them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.operands import is_eager
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait


def resolve(flow: Flow, invocation: int, port: int) -> list[int]:
    """The events that tell of one value: its own, or where it has none those of the values that it was made from.

    Only operations that pass their input on, arguments and calls are walked through; what another operation made of
    its inputs is not known.
    """
    seen: set[tuple[int, int]] = set()
    frontier, found = [(invocation, port)], []
    while frontier:
        rows = np.array(frontier, dtype=np.int64)
        events = flow.values.event(rows[:, 0], rows[:, 1])
        found += events[events != NONE].tolist()
        pairs = zip(frontier, events.tolist(), strict=True)
        rest = [row for row, event in pairs if event == NONE and row not in seen and not _ends(flow.values, row[1])]
        seen.update(rest)
        if not rest:
            break
        frontier = sorted({source for row in rest for source in _sources(flow, *row)})
    return sorted(set(found))


def _sources(flow: Flow, invocation: int, port: int) -> Iterator[tuple[int, int]]:
    """What a value was made from; of an operation of a graph that passes one input on, that one alone."""
    values = flow.values
    number = int(values.ports.site[port])
    site = values.program.sites[number]
    if operation_of(site).has(Trait.PASSES) and site.argument < 0 and not is_eager(flow, invocation):
        position = port - int(values.ports.first[number]) if operation_of(site).kind is Kind.IDENTITY_OF_SEVERAL else 0
        for ref in values.program.inputs_of(number)[position : position + 1]:
            if (source := values.ports.of(ref)) != NONE:
                yield invocation, source
        return
    step = flow.sources(np.array([invocation]), np.array([port]))
    yield from zip(step.invocation.tolist(), step.port.tolist(), strict=True)


def _ends(values: Values, port: int) -> bool:
    number = int(values.ports.site[port])
    site = values.program.sites.get(number)
    if site is None:
        return True
    return not (operation_of(site).has(Trait.PASSES) or site.argument >= 0 or bool(values.ports.followed[number]))
