"""Follows a bad value forward: whether it reached a loss, a gradient, a variable or the results, or what it decided.

A value that every consumer turned into finite ones died out: an infinite entry of an attention mask, a logarithm in the
branch that `where` drops. What reaches none of these does not matter.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints, spread_ranges
from tensordbg.analysis.flow.graph import BadGraph, GraphBuilder
from tensordbg.analysis.flow.reads import nothing_read, read_at, was_read
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.operations import INPUT, operation_of
from tensordbg.analysis.program.roles import Roles
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait


class Reach(enum.IntFlag):
    """Where a bad value came to."""

    LOSS = 1
    GRADIENT = 2
    VARIABLE = 4
    OUTPUT = 8
    TRAINED = 16
    """A variable that is trained; it tells what ruins a model from what only reaches a number that is reported."""
    LOOP = 32
    """A loop ended since it was compared."""
    BRANCH = 64
    """It decided which branch ran."""
    CHOICE = 128
    """It decided which elements of others were chosen."""
    INDEX = 256
    """It decided which index was chosen."""
    COMPARISON = 512
    """It decided a comparison that a function returned."""
    ZEROS = 1024
    """Something that was divided by it became 0; that is told of single origins, see `origins/vanished.py`."""


@dataclass(frozen=True)
class Ends:
    """The nodes at which a bad value comes to something that matters, before it is known what is bad."""

    writes: Ints
    """Nodes that stand for writes of variables."""
    trained: Bools
    """For each of `writes` whether it writes a variable that is trained."""
    results: Ints
    """Nodes of what executions returned."""
    kept: Bools
    """For each of `results` whether the program had it: no other recorded execution took it, or it was read."""
    unread: Bools
    """For each of `results` whether it is of an eager operation and nothing read it, which makes it none."""
    read_at: Ints
    """For each of `results` the stack at which the program first read it, where that is known."""

    def read_at_nodes(self, count: int) -> Ints:
        """For each of so many nodes the stack at which the program first read it, `NONE` where it did not."""
        result = np.full(count, NONE, dtype=np.int64)
        result[self.results] = self.read_at
        return result


def add_ends(builder: GraphBuilder) -> Ends:
    """Add the nodes of all writes and results that could be bad."""
    values = builder.values
    concerned = np.zeros(len(values.executions) + 1, dtype=np.bool_)
    concerned[values.events.execution[values.events.bad]] = True
    writes = [np.empty(0, dtype=np.int64)]
    trained = [np.empty(0, dtype=np.bool_)]
    for number in builder.variables.writing:
        runs = builder.variables.runs(number)
        runs = runs[concerned[values.invocations.execution[runs]] | (values.invocations.place[runs] == NONE)]
        port = np.full(len(runs), values.ports.first[number], dtype=np.int64)
        nodes = builder.nodes(runs, port)
        bad = nodes != NONE  # where a write puts out what it wrote, that may have been recorded as finite
        writes.append(nodes[bad])
        trained.append(np.full(int(bad.sum()), _writes_trained(values, number)))
    execution, slot = _results(values, np.flatnonzero(concerned[:-1]))
    port = builder.flow.made_port(execution, slot)
    known = port != NONE
    known[known] &= values.ports.may_be_bad[port[known]]
    execution, slot, port = execution[known], slot[known], port[known]
    nodes = builder.nodes(execution, port)
    bad = nodes != NONE
    execution, slot = execution[bad], slot[bad]
    unread = nothing_read(values, execution, slot)
    kept = (~_taken(values, execution, slot) & ~unread) | was_read(values, execution, slot)
    return Ends(
        np.concatenate(writes), np.concatenate(trained), nodes[bad], kept, unread, read_at(values, execution, slot)
    )


def reached(graph: BadGraph, tainted: Bools, ends: Ends, roles: Roles, losses: Bools) -> Ints:
    """For each node the bits of `Reach` that anything made from it comes to.

    Args:
        graph: The graph.
        tainted: Which nodes are bad, or made from something bad.
        ends: From `add_ends`.
        roles: Tells gradients.
        losses: Which nodes are scalars that count as a loss.
    """
    marks = np.zeros(len(graph), dtype=np.int64)
    marks[losses] |= Reach.LOSS
    marks[roles.gradient_ports()[graph.port]] |= Reach.GRADIENT
    marks[ends.writes] |= Reach.VARIABLE
    marks[ends.writes[ends.trained]] |= Reach.TRAINED
    marks[ends.results[ends.kept]] |= Reach.OUTPUT
    return graph.ascend(np.where(tainted, marks, 0))


def came_to_nothing_read(graph: BadGraph, tainted: Bools, ends: Ends) -> Bools:
    """For each node whether anything made from it is a result that nothing read."""
    marks = np.zeros(len(graph), dtype=np.int64)
    marks[ends.results[ends.unread]] = 1
    if not marks.any():
        return marks > 0
    result: Bools = graph.ascend(np.where(tainted, marks, 0)) > 0
    return result


def _writes_trained(values: Values, number: int) -> bool:
    """Whether a site writes a variable that is trained, or one of which that is not known."""
    variables = values.program.variables
    written = [variables[k] for k in values.program.sites[number].writes if k in variables]
    return not written or any(variable.trainable is not False for variable in written)


def _results(values: Values, execution: Ints) -> tuple[Ints, Ints]:
    """Every result that some executions returned to the program: the execution and the slot."""
    executions, program = values.executions, values.program
    execution = execution[~executions.failed[execution]]
    counts = np.zeros(len(execution), dtype=np.int64)
    for function in np.unique(executions.function[execution]).tolist():
        members = executions.function[execution] == function
        if function == NONE:
            continue
        called = program.functions[function]
        plain = program.functions.get(called.graph, called)  # a forward pass returns further values, to the tape alone
        counts[members] = min(len(called.outputs), len(plain.outputs)) or len(called.outputs)
    eager = np.flatnonzero(executions.function[execution] == NONE)
    site = executions.site[execution[eager]]
    came_in = np.isin(site, [each.site for each in program.sites.values() if each.op_type == INPUT])
    counts[eager] = np.where((site >= 0) & ~came_in, values.ports.count[site], 0)
    owner, slot = spread_ranges(np.zeros(len(execution), dtype=np.int64), counts)
    return execution[owner], slot


def _taken(values: Values, execution: Ints, slot: Ints) -> Bools:
    """Whether another execution made a value of a result: one that only compares or prints it does not count."""
    executions = values.executions
    consumer = np.repeat(np.arange(len(executions)), np.diff(executions.input_starts))
    seen = np.zeros(len(executions) + 1, dtype=np.bool_)
    seen[values.events.execution] = True
    sites = values.program.sites.values()
    decides = [site.site for site in sites if _reads_numbers(site)]
    # The types of what eager operations give are told by their events alone.
    taken = ((executions.function != NONE) | (seen[:-1] & ~np.isin(executions.site, decides)))[consumer]
    keys = (executions.input_row[taken] << 16) | executions.input_slot[taken]
    result: Bools = np.isin((execution << 16) | slot, keys)
    return result


def _reads_numbers(site: Site) -> bool:
    """Whether an operation gives booleans, whole numbers or text for the numbers that it takes."""
    operation = operation_of(site)
    may_not = operation.kind in (Kind.CAST, Kind.TOP_K)
    return operation.has(Trait.COMPARES, Trait.TESTS_FINITE, Trait.WRITES_TEXT) and not may_not
