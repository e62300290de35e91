from __future__ import annotations

from typing import Any

import pytest

from tensordbg.backends.torch.steps.backward import watch_backward

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def test_each_backward_pass_is_seen_before_it_begins_until_that_ends() -> None:
    seen: list[Any] = []
    x = torch.ones(2, requires_grad=True)
    plain = torch.autograd.backward
    end = watch_backward(lambda tensors: seen.append((tensors, x.grad)))
    loss, other = (x * 2).sum(), x.sum()
    loss.backward()
    torch.autograd.backward((other, other * 2))
    end()
    x.sum().backward()
    assert torch.autograd.backward is plain
    assert [len(tensors) for tensors, _ in seen] == [1, 2]
    assert seen[0][0][0] is loss
    assert seen[0][1] is None
    assert x.grad.tolist() == [6.0, 6.0]
