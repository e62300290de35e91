from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tensordbg.advice import torch as advice

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def apis() -> Iterator[str]:
    for fixes in advice.FIXES.values():
        for text in fixes.values():
            yield from re.findall(r"\btorch(?:\.[A-Za-z_]\w*)+", re.sub(r"\{dtype\}", "float32", text))


@pytest.mark.parametrize("name", sorted(set(apis())))
def test_what_is_advised_is_there(name: str) -> None:
    found = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    assert found is not torch


def test_advice_computes_what_it_says() -> None:
    inf = float("inf")
    x = torch.tensor([0.0, 1.0])
    assert torch.isfinite(torch.log(x.clamp(min=1e-7))).all()
    a, b = torch.tensor([1.0, 1.0]), torch.tensor([0.0, 2.0])
    assert torch.where(b == 0, 0.0, a / torch.where(b == 0, 1.0, b)).tolist() == [0.0, 0.5]
    rows = torch.tensor([[1.0, inf], [1.0, 2.0]])
    assert rows[torch.isfinite(rows).flatten(1).all(dim=1)].tolist() == [[1.0, 2.0]]
    nothing = torch.zeros(0)
    assert (nothing.sum() / max(nothing.numel(), 1)).item() == 0
    mask = torch.tensor([False, False])
    assert torch.isfinite(torch.softmax(x.masked_fill(~mask, torch.finfo(torch.float32).min), -1)).all()


def test_a_safe_branch_keeps_the_gradient_finite() -> None:
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    ok = x > 0
    torch.where(ok, torch.sqrt(torch.where(ok, x, 1.0)), 0.0).sum().backward()
    assert x.grad.tolist() == [0.0, 0.25]
