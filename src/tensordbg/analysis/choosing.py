"""Branches, elements and indices that were chosen in the functions that ran while something was NaN.

What only masks a NaN is no choice that matters: of `where` those are left out that were given the NaN itself too.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.dataflow import Flow
from tensordbg.analysis.decisions import Decides, Decision, Root
from tensordbg.analysis.operands import operands
from tensordbg.analysis.operations import CHOICES, LOOK_UPS, POSITIONS
from tensordbg.analysis.places import Place
from tensordbg.analysis.reading import Bools, Ints
from tensordbg.analysis.resolve import resolve
from tensordbg.analysis.values import Values
from tensordbg.model import NONE, CallKind, Site, TensorRef

_MOST = 1000
"""So many runs of one operation are looked at."""


def choice_roots(values: Values, with_nan: Bools, gradient_site: Bools) -> Iterator[Root]:
    """What chose something in executions with a NaN; gradients repeat the choices of their forward operations."""
    for place in list(values.places.all):
        ran = np.flatnonzero(values.activations.place == place.number)
        ran = ran[with_nan[values.activations.execution[ran]]][:_MOST]
        if not len(ran):
            continue
        for site in values.program.sites_of_graph.get(place.block, ()):
            found = None if gradient_site[site.site] else _chosen_by(values, site)
            if found is not None:
                what, ref = found
                yield from _roots(values, what, ref, ran, site.site)
        for ref in _results(place):
            yield from _roots(values, Decides.INDEX, ref, ran, NONE)


def matters(values: Values, flow: Flow, decision: Decision) -> bool:
    """Whether what was decided is more than that a NaN is replaced, or counted."""
    root = decision.root
    if root.what is Decides.INDEX and root.site == NONE:
        return values.program.sites[decision.site].op_type in POSITIONS
    if root.what is not Decides.CHOICE:
        return True
    given = operands(flow, values.program.sites[root.site], root.activation)
    data = [each for each in given if each.position > 0 and each.port != NONE]
    events = [event for each in data for event in resolve(flow, each.activation, each.port)]
    return not any(values.events.nan[event] for event in events)


def branch_that_ran(values: Values, root: Root) -> str:
    """Which branch of an operation left events; empty where that is not known."""
    inner = int(values.links.called_from(np.array([root.activation]), np.array([root.site]))[0])
    if inner == NONE:
        return ""
    place = values.places.all[int(values.activations.place[inner])]
    if "If" in values.program.sites[root.site].op_type:
        return ("then", "else")[place.part] if place.part < 2 else ""
    return f"number {place.part}"


def _chosen_by(values: Values, site: Site) -> tuple[Decides, TensorRef] | None:
    """What an operation chooses, and the input that tells it which."""
    given = values.program.inputs_of(site.site)
    if site.call is CallKind.IF and given:
        return Decides.BRANCH, given[0]
    if site.op_type in CHOICES and given:
        return Decides.CHOICE, given[0]
    if site.op_type in LOOK_UPS and len(given) > 1:
        return Decides.INDEX, given[1]
    if site.op_type in ("RefSwitch", "Switch") and len(given) > 1:
        source = values.program.sites.get(given[1].site)
        return None if source is None or source.op_type == "LoopCond" else (Decides.BRANCH, given[1])
    return None


def _results(place: Place) -> tuple[TensorRef, ...]:
    """What an outermost function returns."""
    return place.function.outputs if place.parent == NONE and place.function is not None else ()


def _roots(values: Values, what: Decides, ref: TensorRef, ran: Ints, site: int) -> Iterator[Root]:
    port = values.ports.of(ref)
    if port != NONE:
        for activation in ran.tolist():
            yield Root(what, activation, port, site)
