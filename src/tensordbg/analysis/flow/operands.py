"""Finds the values at an operation's inputs: in a graph along its edges, in eager code by what made them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.model import NONE, Site, TensorRef


@dataclass(frozen=True)
class Operand:
    """One input of an operation."""

    position: int
    """Which of the inputs, from 0."""
    tensor: str
    """The name that it has there."""
    op_type: str
    """Of the operation that it comes from."""
    invocation: int
    port: int
    """`NONE` where it has no place among the values."""


def operands(flow: Flow, site: Site, invocation: int) -> Iterator[Operand]:
    """The inputs of an operation in an invocation, without those that are no tensors of numbers and those unknown."""
    if is_eager(flow, invocation):
        yield from _made(flow, invocation)
        return
    program, ports = flow.values.program, flow.values.ports
    for position, ref in enumerate(program.inputs_of(site.site)):
        source = program.sites.get(ref.site)
        if source is None or source.dtypes[ref.slot : ref.slot + 1] == ("resource",):
            continue
        yield Operand(position, f"{source.name}:{ref.slot}", source.op_type, invocation, ports.of(ref))


def is_eager(flow: Flow, invocation: int) -> bool:
    """Whether an invocation is one eager operation; one that is no execution's own is none, whatever damage says."""
    invocations = flow.values.invocations
    own = invocation < len(flow.values.executions)
    return own and bool(invocations.place[invocation] == NONE and invocations.execution[invocation] != NONE)


def _made(flow: Flow, invocation: int) -> Iterator[Operand]:
    """The inputs of an eager operation, of which the executions are known that made them."""
    values, executions = flow.values, flow.values.executions
    first, last = (int(executions.input_starts[invocation + k]) for k in (0, 1))
    for position in range(first, last):
        row = executions.input_row[position : position + 1]
        port = int(flow.made_port(row, executions.input_slot[position : position + 1])[0])
        site = values.program.sites.get(int(values.ports.site[port])) if port != NONE else None
        if row[0] == NONE or site is None:
            continue
        ref = TensorRef(site.site, port - int(values.ports.first[site.site]))
        yield Operand(position - first, f"{site.name}:{ref.slot}", site.op_type, int(row[0]), port)
