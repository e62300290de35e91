"""A comparison of two runs as JSON."""

from __future__ import annotations

import math
from typing import Any

from tensordbg.analysis.diff.result import (
    ComparedTensor,
    Comparison,
    FirstDifference,
    Measured,
    PairError,
    ParameterPair,
)
from tensordbg.wire.health import health_to_json

FORMAT = 1


def diff_to_json(result: Comparison) -> dict[str, Any]:
    """The object that `tdbg diff --json` prints; A is the reference."""
    return {
        "format": FORMAT,
        "status": result.status,
        "matched": result.matched,
        "unmatched": {"a": result.unmatched_a, "b": result.unmatched_b},
        "tolerance": result.tolerance,
        "first": None if result.first is None else _difference(result.first),
        "also": [_difference(each) for each in result.also],
        "parameters": [_parameter(each) for each in result.parameters],
        "steps": [{"step": each.step, "error": each.error} for each in result.steps],
        "only": {"a": [_tensor(each) for each in result.only_a], "b": [_tensor(each) for each in result.only_b]},
        "errors": [_pair(each) for each in result.errors],
        "notes": list(result.notes),
    }


def _difference(found: FirstDifference) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "a": None if found.a is None else _tensor(found.a),
        "b": None if found.b is None else _tensor(found.b),
        "error": found.error,
        "added": found.added,
        "difference": [{"attribute": each.attribute, "a": each.a, "b": each.b} for each in found.difference],
        "explanation": found.explanation,
        "suggestion": found.suggestion,
        "measured": None if found.measured is None else _measured(found.measured),
        "rerun": None if found.rerun is None else _measured(found.rerun),
        **({"only": [_tensor(each) for each in found.only]} if found.only else {}),
    }


def _measured(measured: Measured) -> dict[str, Any]:
    return {
        "largest": _number(measured.largest),
        "relative": None if measured.relative is None else _number(measured.relative),
        "position": list(measured.position),
        "a": _number(measured.a),
        "b": _number(measured.b),
        "unequal": measured.unequal,
        "size": measured.size,
    }


def _number(value: complex) -> float | str | None:
    """What JSON can hold: null stands for an infinity and for NaN, a text for a complex number."""
    if isinstance(value, (int, float)):
        return value if math.isfinite(value) else None
    return str(value)


def _tensor(tensor: ComparedTensor) -> dict[str, Any]:
    view, source = tensor.view, tensor.source
    place = None if source is None else {"file": source.file, "line": source.line, "text": source.text}
    return {
        "tensor": view.tensor,
        "op_type": view.op_type,
        "layer": tensor.layer or None,
        "step": view.step,
        "dtype": view.dtype,
        "shape": None if view.shape is None else list(view.shape),
        "source": place,
        "health": None if view.health is None else health_to_json(view.health),
    }


def _pair(pair: PairError) -> dict[str, Any]:
    return {
        "step": pair.step,
        "a": pair.a,
        "b": pair.b,
        "line_a": pair.line_a or None,
        "line_b": pair.line_b or None,
        "error": pair.error,
        "state": pair.state,
        "event_a": pair.event_a,
        "event_b": pair.event_b,
    }


def _parameter(pair: ParameterPair) -> dict[str, Any]:
    return {"a": pair.a or None, "b": pair.b or None, "status": pair.status, "error": pair.error}
