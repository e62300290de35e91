from __future__ import annotations

from tensordbg.analysis.alerts.alert import Alert


def test_has_no_evidence_by_default() -> None:
    assert Alert("retracing", "f", "", None, "f was traced", "do not").evidence == {}
