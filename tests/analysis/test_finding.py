"""What a result says of itself."""

from __future__ import annotations

from tensordbg.analysis.finding import Alert, WhyResult


def test_status() -> None:
    assert WhyResult(10, 0, 1, True).status == "finite"
    assert WhyResult(10, 1, 1, True).status == "non_finite"


def test_an_alert_has_no_evidence_by_default() -> None:
    assert Alert("retracing", "f", "", None, "f was traced", "do not").evidence == {}
