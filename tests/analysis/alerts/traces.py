"""Traces in memory of functions that were traced several times."""

from __future__ import annotations

import json
from typing import Any

from tensordbg.analysis.graphs.functions import TracedFunction, traced_functions
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.events import read_executions
from tests.analysis.builder import FILE, Graph, TraceBuilder


def tensor(dtype: str = "float32", shape: str = "[2]") -> dict[str, str]:
    return {"kind": "tensor", "text": f"{dtype}{shape}", "dtype": dtype, "shape": shape}


def value(text: object) -> dict[str, str]:
    return {"kind": "value", "text": repr(text)}


def thing(number: int) -> dict[str, str]:
    return {"kind": "object", "text": f"Model object at {number:#x}"}


def traced(trace: TraceBuilder, parameters: dict[str, dict[str, str]], **more: Any) -> Graph:
    """One more trace of the function `train_step`, defined in line 2 and called in line 9, or in `called_in`."""
    graph = trace.function("train_step")
    line = more.pop("called_in", 9)
    graph.stack = trace.sites[trace.site(-1, "call", "PartitionedCall", (), {"line": line})]["stack"]
    said = {"python": 0, "file": FILE, "line": 2, "user": True, "parameters": parameters, "gone": 0}
    graph.tracing = json.dumps(said | more)
    return graph


def functions_of(trace: TraceBuilder) -> tuple[TracedFunction, ...]:
    program = read_program(trace)
    return traced_functions(program, read_executions(trace, program))
