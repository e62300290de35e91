from __future__ import annotations

from typing import Any

import pytest

from tensordbg.backends.torch.steps.optimizers import watch_steps

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def test_hooks_are_called_around_each_step_until_they_are_taken_out() -> None:
    told: list[str] = []
    parameter = torch.nn.Parameter(torch.ones(2))
    parameter.grad = torch.ones(2)
    optimizer = torch.optim.SGD([parameter], lr=0.25)

    def before(seen: Any, _args: Any, _named: Any) -> None:
        told.append(f"before {float(seen.param_groups[0]['params'][0].detach()[0])}")

    def after(seen: Any, _args: Any, _named: Any) -> None:
        told.append(f"behind {float(seen.param_groups[0]['params'][0].detach()[0])}")

    undo = watch_steps(before, after)
    undo_another = watch_steps(before)
    optimizer.step()
    undo()
    optimizer.step()
    undo_another()
    optimizer.step()
    assert told == ["before 1.0", "before 1.0", "behind 0.75", "before 0.75"]
