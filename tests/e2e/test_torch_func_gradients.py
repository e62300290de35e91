"""Gradients by torch.func lead to the line of the operation that they differentiate."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import tensordbg

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
from torch import Tensor  # noqa: E402
from torch.func import grad, jacrev, vjp, vmap  # noqa: E402


def size(x: Tensor) -> Tensor:
    return torch.sqrt((x * 0).sum())  # HERE


@pytest.mark.parametrize(
    "run",
    [
        lambda x: grad(size)(x),
        lambda x: vmap(grad(size))(x[None]),
        lambda x: grad(lambda y: grad(size)(y).sum())(x),
        lambda x: jacrev(size)(x),
        lambda x: vjp(size, x)[1](torch.ones(())),
    ],
    ids=["grad", "vmap", "twice", "jacrev", "vjp"],
)
def test_the_line_that_is_differentiated(run: Callable[[Tensor], Tensor], tmp_path: Path) -> None:
    with tensordbg.record(tmp_path) as recording:
        run(torch.ones(3))
    origin = tensordbg.open(recording.path).why().origins[0]
    assert origin.place is not None
    assert origin.place.text.endswith("# HERE")
    assert origin.cause == "infinite_gradient"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_line_that_is_differentiated_in_compiled_code(tmp_path: Path) -> None:
    def distance(x: Tensor) -> Tensor:
        return torch.sqrt(((x - 1) ** 2).sum())  # HERE

    with tensordbg.record(tmp_path) as recording:
        torch.compile(lambda x: vmap(grad(distance))(x))(torch.ones(2, 3))
    origin = tensordbg.open(recording.path).why().origins[0]
    assert origin.place is not None
    assert origin.place.text.endswith("# HERE")
    assert origin.cause == "infinite_gradient"
