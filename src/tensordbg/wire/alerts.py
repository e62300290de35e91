"""Alerts as JSON."""

from __future__ import annotations

from typing import Any

from tensordbg.analysis.finding import Alert


def alert_to_json(alert: Alert) -> dict[str, Any]:
    """One entry of `alerts` in what `tdbg why --json` prints; `tensor` is null where it is about a function."""
    line = alert.source
    return {
        "kind": alert.kind,
        "function": alert.function,
        "tensor": alert.tensor or None,
        "source": line and {"file": line.file, "line": line.line, "function": line.function, "text": line.text},
        "evidence": dict(alert.evidence),
        "explanation": alert.explanation,
        "suggestion": alert.suggestion,
    }
