"""Branches, elements and indices that were chosen in the functions that ran while something was NaN.

What only masks a NaN is no choice that matters: of `where` those are left out that were given the NaN itself too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.decisions.decided import Decides, Decision, Root, Roots
from tensordbg.analysis.decisions.nan_behind import NanBehind
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.resolve import resolve
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.program.places import Place
from tensordbg.model import NONE, CallKind, Site, TensorRef
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Operation
from tensordbg.operations.traits import Trait


def choice_roots(values: Values, with_nan: Bools, gradient_site: Bools) -> Iterator[Roots]:
    """Yields the values that chose something in executions with a NaN; gradients repeat the choices of forward ones."""
    for place in list(values.places.all):
        ran = np.flatnonzero(values.invocations.place == place.number)
        ran = ran[with_nan[values.invocations.execution[ran]]]
        if not len(ran):
            continue
        for site in values.program.sites_of_graph.get(place.block, ()):
            if not gradient_site[site.site]:
                for chosen in _chosen_by(values, site):
                    yield from _roots(values, chosen, ran, site.site)
        for chosen in _results(values, place):
            yield from _roots(values, chosen, ran, NONE)


def mattering(values: Values, flow: Flow, decisions: Sequence[Decision]) -> list[Decision]:
    """Those by which more was decided than that a NaN is replaced, or counted."""
    of_where = [each for each in decisions if each.root.what is Decides.CHOICE]
    replaced = dict(zip(of_where, _chose_from_nan(values, flow, of_where).tolist(), strict=True))
    return [each for each in decisions if not replaced.get(each) and _is_no_count(values, each)]


def _is_no_count(values: Values, decision: Decision) -> bool:
    is_returned = decision.root.what is Decides.INDEX and decision.root.site == NONE
    return not is_returned or operation_of(values.program.sites[decision.site]).has(Trait.GIVES_POSITIONS)


def _chose_from_nan(values: Values, flow: Flow, decisions: Sequence[Decision]) -> Bools:
    """Of what chose elements, whether a NaN was among those that it chose from."""
    result = np.zeros(len(decisions), dtype=np.bool_)
    site = np.array([each.root.site for each in decisions], dtype=np.int64)
    invocation = np.array([each.root.invocation for each in decisions], dtype=np.int64)
    behind = NanBehind(flow, through=values.passing, unknown=np.zeros_like(values.passing))
    for number in np.unique(site).tolist():
        rows = np.flatnonzero(site == number)
        for ref in values.program.inputs_of(number)[1:]:
            port = values.ports.of(ref)
            if port != NONE:
                result[rows] |= behind.of(invocation[rows], np.full(len(rows), port, dtype=np.int64))
    return result


def branch_that_ran(values: Values, details: Details, root: Root) -> str:
    """Which branch ran, by what chose it or else by the events that it left; empty where that is not known."""
    site = values.program.sites[root.site]
    is_case = operation_of(site).kind is Kind.CASE
    events = resolve(Flow(values, values.ports.inputs), root.invocation, root.port)
    if len(events) == 1:
        (lowest,), (highest,) = details.range_of(np.array(events))
        if lowest == highest:
            last = len(site.called) - 1
            chosen = int(highest) if 0 <= highest <= last else last  # out of range, the last one runs
            return f"number {chosen}" if is_case else ("else", "then")[bool(highest)]
    inner = int(values.links.called_from(np.array([root.invocation]), np.array([root.site]))[0])
    if inner == NONE:
        return ""
    part = values.places.all[int(values.invocations.place[inner])].part
    return f"number {part}" if is_case else ("then", "else")[min(part, 1)]


def _chosen_by(values: Values, site: Site) -> Iterator[tuple[Decides, TensorRef]]:
    """What an operation chooses, and the inputs that tell it which."""
    given = values.program.inputs_of(site.site)
    if site.call is CallKind.IF:
        yield from ((Decides.BRANCH, ref) for ref in given[:1])
    elif operation_of(site).has(Trait.CHOOSES):
        yield from ((Decides.CHOICE, ref) for ref in given[:1])
    elif operation_of(site).kind is Kind.SWITCH:
        yield from (
            (Decides.BRANCH, ref) for ref in given[1:2] if _operation(values, ref).kind is not Kind.LOOP_CONDITION
        )
    else:
        positions = operation_of(site).indices
        yield from ((Decides.INDEX, given[k]) for k in positions if k < len(given))


def _results(values: Values, place: Place) -> Iterator[tuple[Decides, TensorRef]]:
    """What an outermost function returns: indices, and what comparisons say; not what it keeps for its gradients."""
    if place.parent == NONE and place.function is not None:
        for ref in place.function.outputs:
            site = values.program.sites.get(ref.site)
            if site is not None and site.backward:
                continue
            truth = site is not None and site.dtypes[ref.slot : ref.slot + 1] == ("bool",)
            yield (Decides.COMPARISON if truth else Decides.INDEX), ref


def _roots(values: Values, chosen: tuple[Decides, TensorRef], ran: Ints, site: int) -> Iterator[Roots]:
    what, ref = chosen
    port = values.ports.of(ref)
    if port != NONE and _operation(values, ref).kind is not Kind.CONSTANT:
        yield Roots(what, ran, port, site)


def _operation(values: Values, ref: TensorRef) -> Operation:
    site = values.program.sites.get(ref.site)
    return operation_of(site) if site is not None else Operation()
