"""Origins: the bad values that were made from nothing bad, and how far each of them reached.

An infinity that the program itself wrote down (the -inf of an attention mask), or that a rule of its author allows, is
no trouble; where such infinities
alone become a NaN, as in the softmax of a row that is masked throughout, the trouble starts there. So such a NaN is an
origin too, and the infinities are not held to account for what comes after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.decisions.choosing import choice_roots, mattering
from tensordbg.analysis.decisions.decided import Deciding, Decision, Order, bits_of, reach_of
from tensordbg.analysis.decisions.loop_ends import loop_roots
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.graph import BadGraph, GraphBuilder
from tensordbg.analysis.flow.reach import Ends, Reach, add_ends, came_to_nothing_read, reached
from tensordbg.analysis.flow.read_back import find_read_back
from tensordbg.analysis.flow.returns import Returns, find_returns
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.flow.variables import Variables
from tensordbg.analysis.origins.allowed import allowed_nodes
from tensordbg.analysis.origins.regrouped import without_regrouped
from tensordbg.analysis.origins.set_weights import set_as_weights
from tensordbg.analysis.origins.weak_taint import join_weakly
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.program.roles import Roles
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind

_MOST_CYCLES = 1000
_TOLD_APART = 60
"""So many written infinities are told apart: as many as a mark has bits."""


@dataclass(frozen=True)
class Origins:
    """All origins of a trace, in the order of their events."""

    values: Values
    variables: Variables
    returns: Returns
    flow: Flow
    graph: BadGraph
    roles: Roles
    node: Ints
    """Their nodes in the graph."""
    reach: Ints
    """For each the bits of `Reach`."""
    masks: Mapping[int, int]
    """For events whose NaN begins with infinities that the program wrote down, the event of one of these."""
    decisions: list[Decision]
    """What a NaN decided, one for each comparison and what that decided."""
    decided: Ints
    """For each node the bits of those that what was made from it decided."""
    unread: Bools
    """For each node whether anything made from it is an eager result that nothing read."""
    read_at: Ints
    """For each node the stack at which the program read it, `NONE` where it did not."""


def find_origins(values: Values, details: Details) -> Origins:
    """Find all origins.

    Args:
        values: Where all values lie.
        details: Gives shapes and statistics of single events.
    """
    values = without_regrouped(values, details)
    flow = Flow(values, values.ports.carrying)
    variables = Variables(values)
    builder = GraphBuilder(values, variables, flow)
    returns = find_returns(values, details)
    builder.join(returns.made, returns.source)
    builder.join(*find_read_back(values, details))
    ends = add_ends(builder)
    roles = Roles(values, values.executions)
    loops, choices = _find_deciding(builder, roles)
    graph = builder.finish()
    graph, starts = join_weakly(values, details, graph, _starts(graph))
    given = _written_infinities(values, variables, graph, starts, details)
    written = given.copy()
    nodes = np.flatnonzero(starts)
    given[nodes[allowed_nodes(values, graph, nodes)]] = True
    masks: dict[int, int] = {}
    if given.any():
        whole, begun = graph, starts
        graph, turned = _cut_where_nan_begins(values, graph, given, starts)
        starts = starts | turned
        again = np.isin(graph.event, returns.again)
        kept = ~again[whole.child]
        apart = replace(whole, child=whole.child[kept], parent=whole.parent[kept])
        masks = _masks(apart, (begun & written) | again, turned)
    tainted = graph.descend(starts.astype(np.int64)) > 0
    reach = reached(graph, tainted, ends, roles, _losses(values, graph, ends, roles, details))
    made = (mattering(values, flow, some) for some in choices.decisions(graph, details))
    decisions, marks = bits_of(chain(loops.decisions(graph, details), made), len(graph), Order(values))
    decided = graph.ascend(np.where(tainted, marks, 0))
    reach = reach | reach_of(decisions, decided)
    # Eagerly the masked values before the softmax are results too.
    named = graph.event[[*masks.values()]]
    ports = values.port[np.append(named, returns.source[np.isin(returns.made, named)])]
    told = np.isin(graph.port, ports) & written & ((reach & ~Reach.OUTPUT) == 0)
    node = np.flatnonzero(starts & ~told & ~_not_chosen(values, graph, starts & (reach == 0)))
    events = {int(graph.event[one]): int(graph.event[mask]) for one, mask in masks.items()}
    unread = came_to_nothing_read(graph, tainted, ends)
    return Origins(
        values,
        variables,
        returns,
        flow,
        graph,
        roles,
        node,
        reach[node],
        events,
        decisions,
        decided,
        unread,
        ends.read_at_nodes(len(graph)),
    )


def _find_deciding(builder: GraphBuilder, roles: Roles) -> tuple[Deciding, Deciding]:
    """What decided the ends of loops, and what chose, in executions with a NaN; adds what is compared to the graph."""
    values = builder.values
    with_nan = np.zeros(len(values.executions) + 1, dtype=np.bool_)
    with_nan[values.events.execution[values.events.nan]] = True
    loops, choices = Deciding(builder, ("bool",)), Deciding(builder, ("bool", "int", "uint"))
    for roots in loop_roots(values, with_nan):
        loops.add(roots)
    for roots in choice_roots(values, with_nan, roles.gradient_site):
        choices.add(roots)
    return loops, choices


def _starts(graph: BadGraph) -> Bools:
    """Which nodes are bad events that nothing bad went into."""
    is_event = graph.event != NONE
    between = ~is_event[graph.child]
    marks = np.asarray(is_event, dtype=np.int64)
    tainted = replace(graph, child=graph.child[between], parent=graph.parent[between]).descend(marks) > 0
    starts: Bools = is_event.copy()
    starts[graph.child[tainted[graph.parent]]] = False
    starts &= is_event
    # What reads and writes of variables do in no clear order can make a circle; then it starts with the first event.
    for _ in range(_MOST_CYCLES):
        reachable = graph.descend(starts.astype(np.int64)) > 0
        lost = np.flatnonzero(is_event & ~reachable)
        if not len(lost):
            break
        starts[lost[0]] = True
    return starts


def _written_infinities(
    values: Values, variables: Variables, graph: BadGraph, starts: Bools, details: Details
) -> Bools:
    """Which starts are infinities written down by the program.

    Constants without a NaN; and values from outside that are infinite or zero throughout, as a mask is; but none that
    was set as weights.
    """
    result = np.zeros(len(graph), dtype=np.bool_)
    nodes = np.flatnonzero(starts)
    nodes = nodes[~values.events.nan[graph.event[nodes]]]
    sites = values.ports.site[graph.port[nodes]]
    known = (site for site in np.unique(sites).tolist() if site in values.program.sites)
    kinds = {site: operation_of(values.program.sites[site]).kind for site in known}
    constant = np.array([kinds.get(site) is Kind.CONSTANT for site in sites.tolist()], dtype=np.bool_)
    came_in = np.array([kinds.get(site) is Kind.INPUT for site in sites.tolist()], dtype=np.bool_)
    outside = (values.ports.argument[sites] >= 0) | came_in
    maybe = nodes[outside & ~constant]
    lowest, highest = details.range_of(graph.event[maybe])
    maybe = maybe[(np.isnan(lowest) | (lowest == 0)) & (np.isnan(highest) | (highest == 0))]
    maybe = np.concatenate([nodes[constant], maybe])
    result[maybe[~set_as_weights(values, variables, graph, maybe, details)]] = True
    return result


def _not_chosen(values: Values, graph: BadGraph, starts: Bools) -> Bools:
    """Which of some starts are NaN that a function's text holds for a choice, and that no choice took.

    TensorFlow writes such marks itself, as for a gradient that is computed again.
    """
    result = np.zeros(len(graph), dtype=np.bool_)
    taken = np.zeros(len(graph), dtype=np.bool_)
    taken[graph.parent] = True
    nodes = np.flatnonzero(starts & ~taken)
    nodes = nodes[values.events.nan[graph.event[nodes]]]
    nodes = nodes[values.invocations.place[graph.invocation[nodes]] != NONE]
    sites = values.ports.site[graph.port[nodes]].tolist()
    known = (values.program.sites.get(site) for site in sites)
    constant = [site is not None and operation_of(site).kind is Kind.CONSTANT for site in known]
    result[nodes[np.array(constant, dtype=np.bool_)]] = True
    return result


def _cut_where_nan_begins(values: Values, graph: BadGraph, given: Bools, starts: Bools) -> tuple[BadGraph, Bools]:
    """Make origins of the first NaNs that come of nothing but given infinities."""
    marks = np.where(starts, np.where(given, 1, 2), 0)
    from_given = graph.descend(marks) == 1
    holds_nan = np.zeros(len(graph), dtype=np.int64)
    is_event = graph.event != NONE
    holds_nan[is_event] = values.events.nan[graph.event[is_event]]
    nan_behind = np.zeros(len(graph), dtype=np.bool_)
    seen = graph.descend(holds_nan) > 0  # a NaN, or made from one
    nan_behind[graph.child[seen[graph.parent]]] = True
    turned = is_event & from_given & (holds_nan > 0) & ~nan_behind
    # What a NaN went into is not the doing of infinities that went in beside it, nor where these took its place.
    infinite = from_given & (seen == 0)
    beside = infinite[graph.parent] & nan_behind[graph.child]
    kept = ~turned[graph.child] & ~beside
    return replace(graph, child=graph.child[kept], parent=graph.parent[kept]), turned


def _masks(graph: BadGraph, written: Bools, turned: Bools) -> dict[int, int]:
    """For each NaN that begins with written infinities the node of one of these, of the first few operations."""
    nodes = np.flatnonzero(written & (graph.ascend(turned.astype(np.int64)) > 0))
    ports, first = np.unique(graph.port[nodes], return_index=True)
    marks = np.zeros(len(graph), dtype=np.int64)
    for bit, port in enumerate(ports[:_TOLD_APART].tolist()):
        marks[nodes[graph.port[nodes] == port]] = np.int64(1 << bit)
    carried = graph.descend(marks)
    begun = [one for one in np.flatnonzero(turned).tolist() if carried[one]]
    return {one: int(nodes[first[int(carried[one] & -carried[one]).bit_length() - 1]]) for one in begun}


def _losses(values: Values, graph: BadGraph, ends: Ends, roles: Roles, details: Details) -> Bools:
    """Which nodes are losses: see `program/roles.py`."""
    result = np.zeros(len(graph), dtype=np.bool_)
    noted = roles.differentiated_ports()
    guessed = roles.loss_ports()
    if noted.any():
        guessed &= _in_unnoted_graphs(values, roles, noted)
    candidate = guessed[graph.port] & (graph.event != NONE)
    eager = values.invocations.place[graph.invocation] == NONE
    returned = np.zeros(len(graph), dtype=np.bool_)
    returned[ends.results[ends.kept]] = True
    candidate &= ~eager | returned
    nodes = np.flatnonzero(candidate)
    _, first, inverse = np.unique(graph.port[nodes], return_index=True, return_inverse=True)
    scalar = details.scalars(graph.event[nodes[first]])
    result[nodes[scalar[inverse]]] = True
    result[noted[graph.port] & (graph.event != NONE)] = True
    return result


def _in_unnoted_graphs(values: Values, roles: Roles, noted: Bools) -> Bools:
    """Which ports lie in a function that takes gradients of something that was not noted: made before the recording."""
    sites = values.program.sites.values()
    told = {values.program.sites[site].function for site in np.unique(values.ports.site[noted]).tolist()}
    taking = {site.function for site in sites if roles.gradient_site[site.site]} - told - {NONE}
    unnoted = np.zeros(len(values.ports.first), dtype=np.bool_)
    unnoted[[site.site for site in sites if site.function in taking]] = True
    result: Bools = unnoted[values.ports.site]
    return result
