"""Overflows that a loss scale caught: gradients that were tested for finite numbers, and an update that was left out.

With half precision the loss is multiplied by a large scale before it is differentiated. Where a gradient overflows, the
step is skipped and the scale lowered, so some steps overflow by design. That holds only while it ends: a program whose
gradients overflow in step after step learns nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tensordbg.analysis.causes.case import HALF
from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.flow.reach import Reach
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

if TYPE_CHECKING:
    from tensordbg.analysis.flow.dataflow import Flow
    from tensordbg.analysis.flow.graph import BadGraph
    from tensordbg.analysis.origins.find import Origins

_MOST_AT_THE_END = 5
"""So many steps one after the other may overflow where the recording ends; each halves the scale."""

_OVERFLOWS = frozenset({"arithmetic_overflow", "cast_overflow", "half_precision_overflow"})
"""Causes that a smaller scale fixes. A logarithm of zero stays one whatever the scale."""


def caught_origins(origins: Origins) -> Bools:
    """For each of `origins.node` whether a test for finite numbers kept it from every variable, and it ended."""
    values, graph, node = origins.values, origins.graph, origins.node
    caught: Bools = np.zeros(len(node), dtype=np.bool_)
    tested = _tested(values, origins.flow, graph)
    if not tested.any():
        return caught
    behind = graph.ascend(tested.astype(np.int64)) > 0
    caught = behind[node] & (origins.reach > 0) & ((origins.reach & Reach.VARIABLE) == 0)
    caught &= ((origins.reach & Reach.LOSS) == 0) | _scales(values, graph.port[node])
    if caught.any():
        execution = values.invocations.execution[graph.invocation]
        kind = _kinds(values)
        ending = _ending(kind, np.unique(execution[behind & (execution != NONE)]))
        caught &= (execution[node] != NONE) & np.isin(kind[execution[node]], ending)
    return caught


def may_be_caught(cause: str, dtype: str) -> bool:
    """Whether what has this cause can be the scale's doing: in half precision also where no cause is known."""
    return cause in _OVERFLOWS or (cause == "unknown" and dtype in HALF)


def how_caught(values: Values) -> str:
    """A sentence for the report on what caught the bad gradients: a loss scale, or a test for finite numbers."""
    program = values.program
    named = any("scale" in variable.name.lower() for variable in program.variables.values())
    named |= any("loss_scal" in site.name.lower() for site in program.sites.values())
    if named:
        return "the loss scale caught it: the step was skipped"
    return "a test for finite numbers caught it: the step was skipped"


def _tested(values: Values, flow: Flow, graph: BadGraph) -> Bools:
    """Which nodes an operation that tests for finite numbers took."""
    ports, executions = values.ports, values.executions
    testing = np.zeros(len(ports.first), dtype=np.bool_)
    testing[[site.site for site in values.program.sites.values() if operation_of(site).has(Trait.TESTS_FINITE)]] = True
    consumer = np.repeat(np.arange(len(ports.first)), np.diff(ports.inputs.starts))
    taken = np.zeros(len(ports.site), dtype=np.bool_)
    taken[ports.inputs.ports[testing[consumer]]] = True
    tested: Bools = taken[graph.port]
    eager = (executions.function == NONE) & (executions.site >= 0)
    eager[eager] = testing[executions.site[eager]]
    inputs = np.flatnonzero(np.repeat(eager, np.diff(executions.input_starts)))
    made_by, slot = executions.input_row[inputs], executions.input_slot[inputs]
    port = flow.made_port(made_by, slot)
    known = port != NONE
    # Outermost invocations are numbered like the executions.
    width = len(ports.site) + 1
    wanted = made_by[known] * width + port[known]
    tested |= np.isin(graph.invocation.astype(np.int64) * width + graph.port, wanted)
    return tested


def _scales(values: Values, port: Ints) -> Bools:
    """For some ports whether they are products, as a scaled loss is."""
    sites = values.program.sites
    made = [operation_of(sites[site]) if site in sites else None for site in values.ports.site[port].tolist()]
    return np.array([each is not None and each.kind in (Kind.DIVIDE, Kind.MULTIPLY) for each in made], dtype=np.bool_)


def _kinds(values: Values) -> Ints:
    """For each execution a number that those of one function, or of one eager operation, share."""
    executions = values.executions
    return np.where(executions.function == NONE, -2 - executions.site, executions.graph)


def _ending(kind: Ints, bad: Ints) -> Ints:
    """Those of the kinds of some executions that did not go on to be bad until the end."""
    is_bad = np.zeros(len(kind), dtype=np.bool_)
    is_bad[bad] = True
    rows = np.flatnonzero(np.isin(kind, kind[bad]))
    rows = rows[np.argsort(kind[rows], kind="stable")]
    names, first = np.unique(kind[rows], return_index=True)
    ended = []
    for name, course in zip(names.tolist(), np.split(is_bad[rows], first[1:]), strict=True):
        good = np.flatnonzero(~course)
        if len(good) and len(course) - 1 - good[-1] <= _MOST_AT_THE_END:
            ended.append(name)
    return np.array(ended, dtype=np.int64)
