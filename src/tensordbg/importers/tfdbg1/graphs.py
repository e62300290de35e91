"""The graph of a run as the runtime ran it, without what the debugger put in, by the names of the program's graph."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tensordbg.errors import TraceError
from tensordbg.trace.graphs.graphdef import GraphDefNode, decode_graph

_COPIES = frozenset({"Copy", "CopyHost"})
_HIDDEN = frozenset({"_Send", "_Recv", "_HostSend", "_HostRecv", "_Retval"})
_ARGUMENT = re.compile(r"_arg_(?P<name>.+)_\d+_\d+")
_BACKWARDS = "NextIteration"


@dataclass(frozen=True)
class RunNode:
    """An operation of a run."""

    name: str
    op_type: str
    inputs: tuple[tuple[str, int], ...]
    """Names and slots, of nodes of the run."""
    device: str

    @property
    def fed(self) -> bool:
        """Whether it stands for what is fed."""
        return self.op_type == "Placeholder" and not self.inputs


def nodes_of(graphs: Iterable[bytes]) -> tuple[RunNode, ...]:
    """The operations of a run, from the graphs of its devices; loops are opened where they turn back.

    Raises:
        TraceError: If a graph can't be read.
    """
    try:
        nodes = {node.name: node for graph in graphs for node in decode_graph(graph).nodes}
    except ValueError as error:
        raise TraceError(f"a graph of the dump can't be read ({error}); take that run out of the folder") from error
    senders = {_key(node): node for node in nodes.values() if node.op_type in {"_Send", "_HostSend"}}
    return tuple(
        RunNode(node_name(node.name), _op_type(node), tuple(_inputs(node, nodes, senders)), node.device)
        for node in nodes.values()
        if not _is_put_in(node) and node.op_type not in _HIDDEN
    )


def node_name(name: str) -> str:
    """The name that a node of the run has in the program's graph."""
    argument = _ARGUMENT.fullmatch(name)
    return argument["name"] if argument else name


def _op_type(node: GraphDefNode) -> str:
    return "Placeholder" if node.op_type == "_Arg" else node.op_type.removeprefix("_Mkl")


def _is_put_in(node: GraphDefNode) -> bool:
    return node.name.startswith(("__copy_", "__dbg_"))


def _inputs(
    node: GraphDefNode, nodes: dict[str, GraphDefNode], senders: dict[bytes, GraphDefNode]
) -> Iterable[tuple[str, int]]:
    for text in node.inputs:
        if text.startswith("^"):
            continue
        name, slot = _source(text, nodes, senders)
        known = nodes.get(name)
        if known is not None and known.op_type != _BACKWARDS:
            yield node_name(name), slot


def _source(text: str, nodes: dict[str, GraphDefNode], senders: dict[bytes, GraphDefNode]) -> tuple[str, int]:
    """What an input comes from, through copies and from other devices."""
    for _ in range(100):  # no chain is so long; a dump that goes in circles is none
        name, _, slot = text.partition(":")
        node = nodes.get(name)
        if node is not None and node.op_type in {"_Recv", "_HostRecv"} and _key(node) in senders:
            node = senders[_key(node)]
        elif node is None or node.op_type not in _COPIES or not _is_put_in(node):
            break
        if not node.inputs:
            break
        text = node.inputs[0]
    name, _, slot = text.partition(":")
    return name, int(slot) if slot.isdigit() else 0


def _key(node: GraphDefNode) -> bytes:
    return node.attributes.get("tensor_name", b"")
