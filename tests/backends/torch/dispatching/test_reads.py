from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)

from tensordbg.backends.torch.dispatching.reads import watch_reads  # noqa: E402  it imports PyTorch


def test_reads_are_told_and_give_what_they_gave() -> None:
    told: list[Any] = []
    x = torch.arange(3.0)
    with watch_reads(told.append):
        assert (x.tolist(), x.numpy().tolist(), repr(x)) == ([0, 1, 2], [0, 1, 2], "tensor([0., 1., 2.])")
    assert len(told) >= 3
    assert all(each is x for each in told)


def test_the_class_is_as_before_afterwards() -> None:
    before, printed = dict(vars(torch.Tensor)), torch._tensor_str._str
    with watch_reads(print):
        assert torch.Tensor.numpy is not torch._C.TensorBase.numpy
    assert dict(vars(torch.Tensor)) == before
    assert torch._tensor_str._str is printed
