from __future__ import annotations

from typing import Any

import pytest

from tensordbg.backends.torch.steps.uncompiled import Uncompiled

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def test_dynamo_calls_it_and_does_not_go_into_it() -> None:
    compiling: list[bool] = []

    def hook(optimizer: Any, args: Any, named: Any) -> Any:
        compiling.append(torch.compiler.is_compiling())
        return optimizer, args, named

    with Uncompiled(hook) as uncompiled:
        call = uncompiled.hook

        @torch.compile(backend="eager")
        def step(x: Any) -> Any:
            call(1, (), {})
            return x + 1

        call(1, (), {})
        assert step(torch.ones(2)).tolist() == [2.0, 2.0]
        call(1, (), {})
        assert step(torch.ones(2)).tolist() == [2.0, 2.0]
    assert compiling == [False] * 4
    assert call(1, (2,), {"three": 3}) == (1, (2,), {"three": 3})
