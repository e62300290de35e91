from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.backends.torch.trap.asked import AskedTrapping
from tensordbg.capture.reader import open_capture
from tensordbg.errors import UsageError
from tensordbg.trapping.plan import OnBad, TrapPlan
from tensordbg.trapping.rules import AskedRules

torch = pytest.importorskip("torch")


def test_the_step_that_was_asked_for_is_captured_alone(tmp_path: Path) -> None:
    trap = AskedTrapping(TrapPlan(tmp_path, OnBad.RECORD, rules=AskedRules()))
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    try:
        for step in range(4):
            if step == 1:
                trap.ask()
            optimizer.zero_grad()
            (model(torch.ones(2, 3)) * (float("nan") if step == 3 else 1)).sum().backward()
            optimizer.step()
    finally:
        trap.stop()
    (capture,) = trap.captures
    header = open_capture(capture).header
    assert (header.function, header.trouble.kind) == ("Linear", "asked")


def test_a_call_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a call of 'infer' can't be captured"):
        AskedTrapping(TrapPlan(tmp_path, OnBad.RECORD, rules=AskedRules())).ask("infer")
