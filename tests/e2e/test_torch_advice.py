"""What `why` advises of PyTorch programs of several fields: the mistake is the same, what helps is not.

All run in one process, each into a recording of its own.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tensordbg
from tensordbg.analysis.finding import WhyResult

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)
nn, F = torch.nn, torch.nn.functional

Program = Callable[[], Any]
PROGRAMS: dict[Program, tuple[str, tuple[str, ...], tuple[str, ...]]] = {}
"""Each with its cause, and what stands in the explanation and the fix, and what does not."""


def program(cause: str, *said: str, unsaid: tuple[str, ...] = ()) -> Callable[[Program], Program]:
    def note(function: Program) -> Program:
        PROGRAMS[function] = (cause, said, unsaid)
        return function

    return note


@program("log_of_zero", "torch.logsumexp(x, dim)", unsaid=("softmax",))
def mixture_of_densities() -> None:
    layer, x, y = nn.Linear(1, 6), torch.randn(8, 1), torch.full((8, 1), 90.0)
    pi, mu = layer(x).chunk(2, 1)
    density = torch.exp(-0.5 * (y - mu) ** 2) / math.sqrt(2 * math.pi)
    print(torch.log((pi.softmax(-1) * density).sum(-1)).mean().item())  # HERE


@program("log_of_zero", "1 - tanh(x)^2", "softplus(-2 * x)")
def density_of_a_squashed_action() -> None:
    action = torch.tanh(nn.Linear(3, 2)(torch.full((4, 3), 60.0)))
    print(torch.log(1 - action**2).sum().item())  # HERE


@program("log_of_zero", "is the output of a softmax")
def cross_entropy_with_labels() -> None:
    p = torch.softmax(nn.Linear(4, 3)(torch.randn(8, 4)) * 900, -1)
    labels = F.one_hot(torch.zeros(8, dtype=torch.long), 3).float()
    print((-torch.log((labels * p).sum(-1))).mean().item())  # HERE


@program("log_of_zero", "a product of many probabilities", unsaid=("cross_entropy",))
def likelihood_of_a_long_sequence() -> None:
    start, step, seen = nn.Linear(1, 4).bias.softmax(0), nn.Linear(4, 4).weight.softmax(1), nn.Linear(9, 4).weight
    seen = seen.softmax(1)
    alpha = start
    for k in range(90):
        alpha = (alpha @ step) * seen[:, k % 9]
    print(alpha.sum().log().item())  # HERE


@program("exp_overflow", "The exponentials in aten::exp:0 go up to", "torch.logsumexp", unsaid=("orthogonal",))
def partition_function_of_a_long_chain() -> None:
    alpha = torch.zeros(2, 5)
    for _ in range(70):
        scores = alpha[:, :, None] + torch.zeros(5, 5)
        alpha = scores.exp().sum(1).log()  # HERE
    print(alpha.sum().item())


@program("infinite_gradient", "aten::acos is at -1 and 1", "x.clamp(-1 + 1e-6, 1 - 1e-6)", unsaid=("away from 0",))
def angle_of_what_is_equal() -> None:
    x = torch.tensor([1.0, 0.5], requires_grad=True)
    torch.acos(x).sum().backward()  # HERE
    print(x.grad.tolist())


@program("infinite_gradient", "aten::acosh is at 1,", "x.clamp(min=1 + 1e-6)", unsaid=("away from 0",))
def hyperbolic_distance_of_what_is_equal() -> None:
    x = torch.tensor([1.0, 1.5], requires_grad=True)
    torch.acosh(x).sum().backward()  # HERE
    print(x.grad.tolist())


@program("infinite_gradient", "gave values that are equal", "torch.linalg.svdvals")
def vectors_of_equal_singular_values() -> None:
    a = torch.eye(3, requires_grad=True)
    u, s, _ = torch.linalg.svd(a)  # HERE
    (u * s).sum().backward()
    print(a.grad.tolist())


@program("division_by_zero", "1 of its 3 elements is 0", "aten::copy_:0 has written a part of that since")
def divisor_with_a_part_written_later() -> None:
    b = torch.tensor([1.0, 0.0, 2.0])
    b[0] = 5.0
    print((torch.ones(3) / b).sum().item())  # HERE


@program("log_of_zero", "1 of its 3 elements is 0", "has written a part of that since")
def logarithm_with_a_part_written_later() -> None:
    c = torch.tensor([0.0, 1.0, 3.0])
    c[2:].fill_(4.0)
    print(torch.log(c).sum().item())  # HERE


@program("division_by_zero", "the dividend aten::sum:0", unsaid=("forward operation",))
def gradient_scaled_in_a_hook() -> None:
    layer, x = nn.Linear(2, 1), torch.randn(4, 2)
    layer.bias.register_hook(lambda gradient: gradient / gradient.abs().max())  # HERE
    y = layer(x).detach()
    F.mse_loss(layer(x), y).backward()
    print(layer.bias.grad.tolist())


class _SignedRoot(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        out = x.sign() * x.abs().sqrt()
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        (out,) = ctx.saved_tensors
        return gradient / (2 * out.abs())  # WRITTEN OUT


@program("division_by_zero", "1 of its 2 elements is 0", unsaid=("forward operation",))
def backward_pass_written_out() -> None:
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    _SignedRoot.apply(x).sum().backward()  # type: ignore[no-untyped-call, unused-ignore]
    print(x.grad.tolist())


def line_of(function: Program) -> int:
    mark, where = ("# WRITTEN OUT", _SignedRoot) if function is backward_pass_written_out else ("# HERE", function)
    lines, start = inspect.getsourcelines(where)
    return next(start + k for k, line in enumerate(lines) if mark in line)


def why(folder: Path, function: Program) -> WhyResult:
    torch.manual_seed(0)
    with tensordbg.record(folder) as recording:
        function()
    return tensordbg.open(recording.path).why()


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_the_line_the_cause_and_what_helps(tmp_path: Path, function: Program) -> None:
    cause, said, unsaid = PROGRAMS[function]
    answer = why(tmp_path, function)
    found, *more = [each for each in answer.origins if each.consequential]
    assert (found.cause, more, answer.warnings) == (cause, [], ())
    assert found.source is not None
    lines = {
        found.source.line,
        *([found.gradient_of.source.line] if found.gradient_of and found.gradient_of.source else []),
    }
    assert line_of(function) in lines
    text = f"{found.explanation} {found.suggestion}"
    assert [each for each in said if each not in text] == []
    assert [each for each in unsaid if each in text] == []
