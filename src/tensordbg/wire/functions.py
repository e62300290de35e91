"""The traced functions of a program as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.graphs.functions import FunctionTrace, Parameter, TracedFunction

FORMAT = 1


def functions_to_json(functions: Sequence[TracedFunction]) -> dict[str, Any]:
    """The object that `tdbg functions --json` prints."""
    return {"format": FORMAT, "functions": [_function(function) for function in functions]}


def _function(function: TracedFunction) -> dict[str, Any]:
    return {
        "name": function.name,
        "definition": _line(function.definition),
        "calls": function.calls,
        "traces": [_trace(trace) for trace in function.traces],
    }


def _trace(trace: FunctionTrace) -> dict[str, Any]:
    return {
        "runtime_name": trace.runtime_name,
        "python_function": trace.python,
        "parameters": [_parameter(parameter) for parameter in trace.parameters],
        "signature": trace.signature,
        "calls": trace.calls,
        "step": trace.step,
        "source": _line(trace.source),
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    tensor = {"dtype": parameter.dtype, "shape": parameter.shape} if parameter.kind == "tensor" else {}
    return {"name": parameter.name, "kind": parameter.kind, "text": parameter.text, **tensor}


def _line(line: SourceLine | None) -> dict[str, Any] | None:
    if line is None:
        return None
    return {"file": line.file, "line": line.line, "function": line.function, "text": line.text}
