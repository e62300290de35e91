"""The operation whose error ended the program, as a node: one that was never built is only in the error."""

from __future__ import annotations

from typing import Protocol

from tensordbg.analysis.program.description import Program
from tensordbg.console.names.node import Node
from tensordbg.model import NONE, StatedInput, StatedTensor
from tensordbg.report.numbers import ABSENT
from tensordbg.trace.program.facts import Failure, TraceFacts


class FailedProgram(Protocol):
    """A trace that knows how its program failed."""

    @property
    def program(self) -> Program:
        """The description of the program."""

    @property
    def facts(self) -> TraceFacts:
        """Facts that became known while the program ran."""


def unbuilt_node(opened: FailedProgram, name: str) -> Node | None:
    """The operation that the framework refused to add to a graph, which ended the program, if that is its name."""
    told = opened.facts.failure
    return _node_of(opened, told, name) if told is not None and _is_unbuilt(told) else None


def failed_eager_node(opened: FailedProgram, name: str) -> Node | None:
    """The operation that ended the program where it ran eagerly, if that is its name: many of a name do."""
    told = opened.facts.failure
    if told is None or told.execution == NONE:
        return None
    site = opened.program.sites.get(told.site)
    return _node_of(opened, told, name) if site is not None and site.function == NONE else None


def _node_of(opened: FailedProgram, told: Failure, name: str) -> Node | None:
    site = opened.program.sites.get(told.site)
    return None if site is None or site.name != name else Node(site.name, site.op_type, site.site)


def _is_unbuilt(told: Failure) -> bool:
    return told.execution == NONE and bool(told.inputs)


def stated_inputs(opened: FailedProgram, node: Node) -> list[Node] | None:
    """The values that Python held of the inputs of the operation, or of such an input's; None of any other node."""
    told = opened.facts.failure
    if told is None:
        return None
    if node.stated_place != NONE:
        return [_node(told.tensors[place], place) for place in told.tensors[node.stated_place].inputs]
    if node.site != told.site or not _is_unbuilt(told):
        return None
    if told.tensors:
        return [_node(each, place) for place, each in enumerate(told.tensors[: len(told.inputs)])]
    return [Node(each.tensor, "", stated=_type(each)) for each in told.inputs]


def _node(tensor: StatedTensor, place: int) -> Node:
    name = tensor.tensor.partition(":")[0] or "a tensor"
    return Node(name, tensor.op_type or "Input", tensor=tensor.tensor, stated=_type(tensor), stated_place=place)


def _type(tensor: StatedTensor | StatedInput) -> str:
    """`float32[?, 3]`."""
    if tensor.shape is None:
        return f"{tensor.dtype or ABSENT} of unknown shape"
    return f"{tensor.dtype}[{', '.join('?' if dim < 0 else str(dim) for dim in tensor.shape)}]"
