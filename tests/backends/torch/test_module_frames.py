from __future__ import annotations

import sys
import traceback
from typing import Any

import pytest

from tensordbg.backends.torch.module_frames import calls_module, is_in_module_call

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def test_the_frame_that_calls_a_module_is_around_its_hooks_and_its_forward() -> None:
    seen: list[list[Any]] = []

    def look(*_: object) -> None:
        frames = [frame for frame, _ in traceback.walk_stack(sys._getframe(1))]
        seen.append([frame.f_locals["self"] for frame in frames if calls_module(frame)])
        assert sum(map(is_in_module_call, frames)) >= len(seen[-1])

    class Outer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = torch.nn.ReLU()
            self.inner.register_forward_pre_hook(look)

        def forward(self, x: Any) -> Any:
            look()
            return self.inner(x)

    outer = Outer()
    outer(torch.ones(1))
    assert seen == [[outer], [outer.inner, outer]]
