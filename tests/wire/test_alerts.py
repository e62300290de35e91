from __future__ import annotations

from tensordbg.analysis.finding import Alert, SourceLine
from tensordbg.wire.alerts import alert_to_json


def test_alert() -> None:
    source = SourceLine("/code/train.py", 9, "main", True, "step(x, n)")
    alert = Alert("retracing", "step", "", source, "step was traced 6 times", "pass a tensor", {"traces": 6})
    assert alert_to_json(alert) == {
        "kind": "retracing",
        "function": "step",
        "tensor": None,
        "source": {"file": "/code/train.py", "line": 9, "function": "main", "text": "step(x, n)"},
        "evidence": {"traces": 6},
        "explanation": "step was traced 6 times",
        "suggestion": "pass a tensor",
    }


def test_nothing_of_the_users_own() -> None:
    said = alert_to_json(Alert("placement", "f", "MatMul:0", None, "e", "s"))
    assert (said["source"], said["tensor"], said["evidence"]) == (None, "MatMul:0", {})
