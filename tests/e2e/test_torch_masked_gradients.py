"""Gradients of PyTorch's own that divide by zero and put zeros in the place of that: they are no trouble."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import tensordbg.torch

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
from torch import Tensor, nn  # noqa: E402

Loss = Callable[[Tensor], Tensor]
ROW_OF_ZEROS = torch.tensor([[0.0], [1.0], [1.0], [1.0]])


@pytest.fixture(autouse=True)
def checked() -> Iterator[None]:
    tensordbg.torch.enable_check_numerics()
    yield
    tensordbg.torch.disable_check_numerics()


def standardized(x: Tensor) -> Tensor:
    equal = x * 0 + 1
    return ((equal - equal.mean(1, keepdim=True)) / (equal.std(1, keepdim=True) + 1e-6)).sum()


def normalized(x: Tensor) -> Tensor:
    return nn.functional.normalize(x * ROW_OF_ZEROS, dim=-1).sum()


def cosine(x: Tensor) -> Tensor:
    return nn.functional.cosine_similarity(x * ROW_OF_ZEROS, x + 1).sum()


def distance(x: Tensor) -> Tensor:
    return torch.dist(x, x.clone())


def power(x: Tensor) -> Tensor:
    return ((x * 0) ** nn.Parameter(torch.tensor(2.0))).sum()


def angle(x: Tensor) -> Tensor:
    return torch.atan2(x * 0, x * 0).sum()


def product(x: Tensor) -> Tensor:
    return (x * ROW_OF_ZEROS).cumprod(1).sum()


def impossible_alignment(x: Tensor) -> Tensor:
    return nn.functional.ctc_loss(
        *(x.log_softmax(-1)[:, None], torch.tensor([[1, 1, 2, 1, 1]]), torch.tensor([4]), torch.tensor([5])),
        zero_infinity=True,
    )


def cut_off_by_relu(x: Tensor) -> Tensor:
    p = torch.relu(x)
    return torch.xlogy(p, p).sum()


def root_of_what_is_cut_off(x: Tensor) -> Tensor:
    return torch.relu(x).sum(1).sqrt().sum() + (x - 0.05).clamp_min(0.0).sqrt().sum()


def root_of_what_is_chosen(x: Tensor) -> Tensor:
    return torch.where(x > 0, x, 0.0).sqrt().mean()


@pytest.mark.parametrize(
    "loss",
    [
        *(standardized, normalized, cosine, distance, power, angle, product, impossible_alignment),
        *(cut_off_by_relu, root_of_what_is_cut_off, root_of_what_is_chosen),
    ],
)
def test_what_pytorch_masks_passes(loss: Loss) -> None:
    x = torch.linspace(-1, 1, 12).reshape(4, 3).requires_grad_()
    loss(x).backward()
    assert x.grad is not None
    assert bool(x.grad.isfinite().all())


def slope_of_a_root(x: Tensor) -> None:
    torch.sqrt(x * 0).sum().backward()


def slope_to_differentiate(x: Tensor) -> None:
    (slope,) = torch.autograd.grad(torch.sqrt(x * 0).sum(), x, create_graph=True)
    slope.sum().backward()


def mean_of_nothing(x: Tensor) -> None:
    x[:0].mean().backward()


def impossible_loss(x: Tensor) -> None:
    labels, lengths = torch.tensor([[1, 1, 2, 1, 1]]), (torch.tensor([4]), torch.tensor([5]))
    nn.functional.ctc_loss(x.log_softmax(-1)[:, None], labels, *lengths).backward()


def slope_that_a_choice_keeps(x: Tensor) -> None:
    (x * 0).clamp_min(0.0).sqrt().sum().backward()


def slope_that_goes_another_way(x: Tensor) -> None:
    zeros = x * 0
    (torch.relu(zeros) + zeros).sqrt().sum().backward()


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (slope_of_a_root, 'op "aten::div" (# of outputs: 1), gradient of aten::sqrt'),
        (slope_to_differentiate, 'op "aten::div" (# of outputs: 1), gradient of aten::sqrt'),
        (slope_that_a_choice_keeps, 'op "aten::div" (# of outputs: 1), gradient of aten::sqrt'),
        (slope_that_goes_another_way, 'op "aten::div" (# of outputs: 1), gradient of aten::sqrt'),
        (mean_of_nothing, 'op "aten::mean"'),
        (impossible_loss, 'op "aten::_ctc_loss"'),
    ],
)
def test_what_leaves_a_derivative_raises(run: Callable[[Tensor], None], told: str) -> None:
    x = torch.linspace(-1, 1, 12).reshape(4, 3).requires_grad_()
    with pytest.raises(tensordbg.torch.BadNumberError) as found:
        run(x)
    assert told in str(found.value)
