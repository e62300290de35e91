"""Graphs for the tests of boxes: a small training step with layers, scopes, a called function and arguments."""

from __future__ import annotations

import json

from tensordbg.analysis.program.call_tree import CallTree, call_tree
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.layer_path import layer_path
from tensordbg.analysis.view.graphs.boxes import BoxTree, box_tree
from tensordbg.model import Site
from tests.analysis.builder import Graph, TraceBuilder


def in_layer(path: str) -> str:
    return json.dumps({"path": path, "class": "Dense", "output_of": []})


def model_step(trace: TraceBuilder) -> Graph:
    """step(x): two layers of a model, a called function `norm` with a scope, a logarithm in `loss/`."""
    norm = trace.function("norm")
    given = norm.argument("given")
    half = norm.op("Mul", given, norm.op("Const", name="part/half"), name="part/mul")
    norm.returns(half)
    step = trace.function("step")
    value = step.argument("x")
    for number, name in enumerate(("first", "second")):
        scope, layer = f"model_1/{name}_{number + 1}", in_layer(f"model/{name}")
        for op_type in ("MatMul", "BiasAdd"):
            value = step.op(op_type, value, name=f"{scope}/{op_type}", layer=layer)
    (value,) = step.call(norm, value)
    step.op("Const", name="loss/Log/y")
    log = step.op("Log", value, name="loss/Log")
    step.returns(step.op("Mean", log, name="loss/Mean"))
    return step


def tree_of(trace: TraceBuilder, name: str) -> CallTree:
    program = read_program(trace)  # type: ignore[arg-type]
    return call_tree(program, next(each for each in program.functions.values() if each.name == name))


def boxes_of(trace: TraceBuilder, name: str = "step", lines: dict[str, str] | None = None) -> BoxTree:
    known = lines or {}

    def line_of(site: Site) -> str:
        return known.get(site.name, "")

    return box_tree(tree_of(trace, name), layer_path, line_of)
