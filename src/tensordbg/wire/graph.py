"""The graph of a function, as built or as it runs, as JSON."""

from __future__ import annotations

from typing import Any

from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.graphs.as_run import ExecutedGraph, ExecutedNode
from tensordbg.analysis.graphs.changes import Fate, GraphChange
from tensordbg.analysis.graphs.function_graph import FunctionGraph, GraphNode
from tensordbg.model import Function

FORMAT = 1


def function_graph_to_json(graph: FunctionGraph) -> dict[str, Any]:
    """The object that `tdbg graph --json` prints."""
    return {
        "format": FORMAT,
        "function": _function(graph.function),
        "stage": "built",
        "calls": graph.calls,
        "others": [_function(other) for other in graph.others],
        "kept": [stage.value for stage in graph.stages],
        "total": graph.operations,
        "unopened": graph.unopened,
        "results": list(graph.results),
        "nodes": [_node(node) for node in graph.nodes],
    }


def run_graph_to_json(graph: ExecutedGraph) -> dict[str, Any]:
    """The object that `tdbg graph --as run --json` prints."""
    return {
        "format": FORMAT,
        "function": _function(graph.function),
        "stage": graph.stage.value,
        "built": graph.built,
        "unfused": graph.unfused,
        "nodes": [_run_node(node) for node in graph.nodes],
        **{fate.value: [_change(change) for change in graph.of(fate)] for fate in Fate},
        "added": dict(graph.added),
    }


def _function(function: Function) -> dict[str, Any]:
    return {
        "number": function.function,
        "name": function.name,
        "runtime_name": function.runtime_name,
        "signature": function.signature,
        "notes": list(function.notes),
    }


def _node(node: GraphNode) -> dict[str, Any]:
    return {
        "name": node.name,
        "op_type": node.op_type,
        "depth": node.depth,
        "part": node.part,
        "inputs": list(node.inputs),
        "waits_for": list(node.waits_for),
        "runs_anyway": node.runs_anyway,
        "dtypes": list(node.dtypes),
        "shapes": [None if shape is None else list(shape) for shape in node.shapes],
        "device": node.device,
        "argument": None if node.argument < 0 else node.argument,
        "calls": list(node.calls),
        "events": node.events,
        "non_finite": node.non_finite,
        "source": _line(node.source),
    }


def _run_node(node: ExecutedNode) -> dict[str, Any]:
    return {
        "name": node.name,
        "op_type": node.op_type,
        "inputs": list(node.inputs),
        "device": node.device,
        "made_from": list(node.made_from),
        "added_for": node.added_for or None,
        "source": _line(node.source),
    }


def _change(change: GraphChange) -> dict[str, Any]:
    return {"operations": list(change.operations), "into": change.into or None, "reason": change.reason}


def _line(line: SourceLine | None) -> dict[str, Any] | None:
    return (
        None if line is None else {"file": line.file, "line": line.line, "function": line.function, "text": line.text}
    )
