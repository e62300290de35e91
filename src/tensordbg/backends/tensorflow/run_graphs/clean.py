"""Takes what is ours out of graphs that TensorFlow gives out: those that we keep, and those that a program collects.

`tf.summary.trace_on` and whatever else listens for run metadata is given the graphs of functions as they run, and these
have our nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tensordbg.backends.tensorflow.internals import context

_OURS = re.compile(r"(?:^|/)tdbg_[a-z]+/")
"""In the name of each node that we add, wherever its function was inlined."""


def is_ours(name: str) -> bool:
    """Whether a node, or what an input names, is one of ours."""
    return _OURS.search(name) is not None


def clean_graph(graph: Any) -> None:
    """Takes our nodes out of a GraphDef and out of the functions in its library."""
    _clean_nodes(graph.node)
    for function in graph.library.function:
        waited_for = _clean_nodes(function.node_def)
        for result, tensor in function.ret.items():
            function.ret[result] = waited_for.get(_node(tensor), tensor)
        ours = [name for name, node in function.control_ret.items() if is_ours(f"{node}/")]
        for name in ours:
            del function.control_ret[name]
        kept = [name for name in function.signature.control_output if name not in ours]
        function.signature.control_output[:] = kept


def clean_run_metadata(metadata: Any) -> None:
    """Cleans all graphs of a RunMetadata message, and takes out the times of our nodes."""
    for graph in _graphs(metadata):
        clean_graph(graph)
    for device in metadata.step_stats.dev_stats:
        _keep(device.node_stats, [stats for stats in device.node_stats if not is_ours(stats.node_name)])


class CleanRunMetadata:
    """Sees to it that a program which collects run metadata finds nothing of ours in it."""

    def __init__(self) -> None:
        self._installed = False

    def install(self) -> None:
        """From now on, for functions keep our nodes after a recording."""
        if self._installed:
            return
        self._installed = True
        export = context.Context.export_run_metadata

        def export_run_metadata(runtime: Any) -> Any:
            metadata = export(runtime)
            if metadata is not None:
                clean_run_metadata(metadata)
            return metadata

        context.Context.export_run_metadata = export_run_metadata


def _graphs(metadata: Any) -> Iterator[Any]:
    yield from metadata.partition_graphs
    for graphs in metadata.function_graphs:
        yield graphs.pre_optimization_graph
        yield graphs.post_optimization_graph
        yield from graphs.partition_graphs


def _clean_nodes(nodes: Any) -> dict[str, str]:
    """Takes our nodes out; what took a value from one of them takes it from where that one had it.

    Returns:
        For each name of ours that passed a value on, the value's own name.
    """
    passed_on = {node.name: node.input[0] for node in nodes if node.op == "Identity" and is_ours(node.name)}
    for name, tensor in passed_on.items():
        passed_on[name] = _behind(tensor, passed_on)
    _keep(nodes, [node for node in nodes if not is_ours(node.name)])
    for node in nodes:
        kept = [
            passed_on.get(_node(name), name) for name in node.input if not (name.startswith("^") and is_ours(name[1:]))
        ]
        if kept != list(node.input):
            node.input[:] = kept
    return passed_on


def _behind(tensor: str, passed_on: dict[str, str]) -> str:
    """The tensor that is passed on under a name, perhaps from one of ours to the next."""
    while _node(tensor) in passed_on:
        tensor = passed_on[_node(tensor)]
    return tensor


def _node(tensor: str) -> str:
    """The node that makes a tensor, as inputs name it (`node`, `node:1`, in a function `node:output:0`)."""
    return tensor.partition(":")[0]


def _keep(messages: Any, kept: Iterable[Any]) -> None:
    """Leaves only some messages in a repeated field."""
    kept = [type(message).FromString(message.SerializeToString()) for message in kept]
    if len(kept) < len(messages):
        del messages[:]
        messages.extend(kept)
