from __future__ import annotations

from typing import Any

import pytest

from tensordbg.backends.torch.steps.scaled import ScaledSteps

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


@pytest.mark.parametrize(
    ("scale", "bad", "told"),
    [(1024.0, False, []), (1024.0, True, [(1, True)]), (1.0, True, [(1, False)])],
)
def test_a_step_that_nobody_looked_at_is_told(scale: float, bad: bool, told: list[tuple[int, bool]]) -> None:
    weight = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=scale)
    found: list[tuple[int, bool]] = []

    def left_out(of: Any, losses: list[Any], may_be_scaled: bool) -> None:
        assert of is optimizer
        found.append((len(losses), may_be_scaled))

    steps = ScaledSteps(left_out)
    steps.install()

    def looks(*_: Any) -> None:
        steps.looked_at = True

    hook = optimizer.register_step_pre_hook(looks)
    try:
        loss = (weight * (float("inf") if bad else 1.0)).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    finally:
        hook.remove()
        steps.uninstall()
    assert found == told
    assert torch.equal(weight.detach(), torch.ones(3)) == bad


def test_all_is_as_before_once_it_is_uninstalled() -> None:
    cls = torch.amp.GradScaler
    before = cls.scale, cls.step, cls.update
    steps = ScaledSteps(lambda *_: None)
    steps.install()
    assert cls.step is not before[1]
    steps.uninstall()
    assert (cls.scale, cls.step, cls.update) == before
