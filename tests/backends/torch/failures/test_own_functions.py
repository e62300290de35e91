from __future__ import annotations

from typing import Any

import pytest

from tensordbg.backends.torch.failures.own_functions import backward_behind

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


class OwnScale(torch.autograd.Function):  # type: ignore[name-defined,misc,unused-ignore]
    @staticmethod
    def forward(ctx: Any, x: Any, s: Any) -> Any:
        return x * s

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g[:1]


def error_of(**asked: bool) -> str:
    x, s = torch.ones(2, requires_grad=True), torch.ones(2, **asked)
    with pytest.raises(RuntimeError) as found:
        OwnScale.apply(x, s).sum().backward()
    return str(found.value)


def test_the_backward_that_gave_too_few_gradients() -> None:
    frame = backward_behind(error_of(requires_grad=True))
    assert frame is not None
    assert (frame[0], frame[2]) == (__file__, "OwnScale.backward")


def test_other_errors_are_of_none() -> None:
    assert backward_behind("element 0 of tensors does not require grad") is None
    assert backward_behind("function NobodysBackward returned an incorrect number of gradients") is None
