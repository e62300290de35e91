"""Loops that ended since something was compared with NaN: that is false, whatever stands on the other side.

From the last iteration in which a loop's condition was asked, `decided.py` walks back, also to the body of the
iteration before, where that made the truth value.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.decisions.decided import Decides, Roots
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.program.places import BODY, COND, Place
from tensordbg.model import NONE, CallKind, Site, TensorRef
from tensordbg.operations.kinds import Kind


def loop_roots(values: Values, with_nan: Bools) -> Iterator[Roots]:
    """Yields the last answers of loops' conditions, in executions with a NaN."""
    for place in values.places.all:
        if place.kind is CallKind.WHILE:
            port = _answer(values, place)
            if port != NONE:
                yield Roots(Decides.LOOP, _last_asked(values, place, with_nan), port, NONE)


def _last_asked(values: Values, place: Place, with_nan: Bools) -> Ints:
    """The invocations in which a condition was asked last, in each run of its loop.

    One that only gives back a variable of the loop computes nothing: then it is what the body's last iteration made of
    that.
    """
    asked = np.flatnonzero(values.invocations.place == place.number)
    asked = asked[with_nan[values.invocations.execution[asked]]]
    owner, frame = values.invocations.owner[asked], values.invocations.frame[asked]
    order = np.lexsort((values.invocations.iteration[asked], frame, owner))
    asked, owner, frame = asked[order], owner[order], frame[order]
    last = np.append((np.diff(owner) != 0) | (np.diff(frame) != 0), True)
    result: Ints = asked[last[: len(asked)]]
    return result


def _answer(values: Values, place: Place) -> int:
    """The port, of the condition or of the body, that says whether a loop goes on; `NONE` if it is in the other."""
    called = values.program.called_by(values.program.sites[place.call_site])
    condition = called[COND] if called else None
    if condition is None or not condition.outputs:
        return NONE
    ref = condition.outputs[0]
    while ref.site in values.program.sites and _is_identity(values.program.sites[ref.site]):
        ref = next(iter(values.program.inputs_of(ref.site)), TensorRef(NONE, 0))
    site = values.program.sites.get(ref.site)
    if site is None or site.argument < 0:
        return values.ports.of(ref) if place.part == COND else NONE
    results = place.function.outputs if place.part == BODY and place.function is not None else ()
    return values.ports.of(results[site.argument]) if site.argument < len(results) else NONE


def _is_identity(site: Site) -> bool:
    return operation_of(site).kind is Kind.IDENTITY
