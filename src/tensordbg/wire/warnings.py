"""Warnings about finite numbers, as JSON."""

from __future__ import annotations

import math
from typing import Any

from tensordbg.analysis.finding import NumericalWarning
from tensordbg.wire.health import health_to_json


def warning_to_json(warning: NumericalWarning) -> dict[str, Any]:
    """One object of the list `warnings`; null stands for infinite numbers and for what is not known."""
    view, line = warning.view, warning.source
    return {
        "kind": warning.kind,
        "tensor": view.tensor,
        "op_name": view.op_name,
        "op_type": view.op_type,
        "function": view.function,
        "event": view.event,
        "step": view.step,
        "dtype": view.dtype,
        "shape": None if view.shape is None else list(view.shape),
        "health": None if view.health is None else health_to_json(view.health),
        "variable": warning.variable or None,
        "source": None
        if line is None
        else {"file": line.file, "line": line.line, "function": line.function, "text": line.text},
        "evidence": {name: _plain(value) for name, value in warning.evidence.items()},
        "explanation": warning.explanation,
        "suggestion": warning.suggestion,
        "also": list(warning.also),
    }


def _plain(value: float | str) -> float | str | None:
    return None if isinstance(value, float) and not math.isfinite(value) else value
