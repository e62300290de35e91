"""Parts of a loss that no gradient comes to, in real trainings, and trainings that look like them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tensordbg

torch: Any = pytest.importorskip("torch")
Tensor = Any


def overlap(p: Tensor, y: Tensor) -> Tensor:
    return 1 - (2 * (p * y).sum() + 1) / (p.sum() + y.sum() + 1)


class Passed(torch.autograd.Function):  # type: ignore[misc]
    """A step function whose gradient is that of a straight line."""

    @staticmethod
    def forward(ctx: Any, p: Tensor) -> Tensor:
        return (p > 0.5).float()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient


class PassedRounding(Passed):
    @staticmethod
    def forward(ctx: Any, p: Tensor) -> Tensor:
        return p.round()


def by_threshold(out: Tensor, y: Tensor) -> Tensor:
    p = out.sigmoid()
    return overlap((p > 0.5).float(), y)  # CUTS


def by_rounding(out: Tensor, y: Tensor) -> Tensor:
    return overlap(out.sigmoid().round(), y)  # CUTS


def by_argmax(out: Tensor, y: Tensor) -> Tensor:
    return 0.5 * (out.argmax(1) != y.argmax(1)).float().mean()  # CUTS


def by_choice(out: Tensor, y: Tensor) -> Tensor:
    hit = torch.where(out > 0, 1.0, 0.0)  # CUTS
    return overlap(hit, y)


def by_data(out: Tensor, y: Tensor) -> Tensor:
    return 0.5 * overlap(out.sigmoid(), y).data  # CUTS


def by_copy(out: Tensor, y: Tensor) -> Tensor:
    part = overlap(out.sigmoid(), y)
    return torch.tensor(part)  # CUTS


def by_data_within(out: Tensor, y: Tensor) -> Tensor:
    p = out.sigmoid().data[:, :2]  # CUTS
    return overlap(p, y[:, :2])


def soft(out: Tensor, y: Tensor) -> Tensor:
    return overlap(out.sigmoid(), y)


def straight_through(out: Tensor, y: Tensor) -> Tensor:
    p = out.sigmoid()
    return overlap((p > 0.5).float() + p - p.detach(), y)


def straight_through_the_loss(out: Tensor, y: Tensor) -> Tensor:
    p = out.sigmoid()
    kept, hard = overlap(p, y), overlap((p > 0.5).float(), y)
    return kept + (hard - kept).detach()


def own_gradient(out: Tensor, y: Tensor) -> Tensor:
    return overlap(Passed.apply(out.sigmoid()), y)


def own_gradient_of_rounding(out: Tensor, y: Tensor) -> Tensor:
    return overlap(PassedRounding.apply(out.sigmoid()), y)


def own_gradient_of_a_sum(out: Tensor, y: Tensor) -> Tensor:
    return Passed.apply(out.sigmoid()).sum()


def watched(out: Tensor, y: Tensor) -> Tensor:
    ((out > 0).float() == y).float().mean().item()
    return overlap(out.sigmoid(), y)


def balanced(out: Tensor, y: Tensor) -> Tensor:
    gates = out.softmax(-1)
    load = torch.nn.functional.one_hot(gates.argmax(-1), 4).float().mean(0)
    return 4 * (load * gates.mean(0)).sum()


def hard_examples(out: Tensor, y: Tensor) -> Tensor:
    wrong = (out.sigmoid() - y).abs() > 0.3
    return ((out - y).square() * wrong.float()).sum() / wrong.float().sum().clamp(min=1)


def own_targets(out: Tensor, y: Tensor) -> Tensor:
    return (out - out.sigmoid().detach()).square().mean()


def rewards(out: Tensor, y: Tensor) -> Tensor:
    chosen = torch.distributions.Bernoulli(logits=out)
    action = chosen.sample()
    reward = (action == y).float()
    return -(chosen.log_prob(action) * (reward - reward.mean())).mean()


def weighed_by_data(out: Tensor, y: Tensor) -> Tensor:
    weight = out.sigmoid().data
    return (weight * torch.nn.functional.softplus(-out)).mean()


def straight_through_data(out: Tensor, y: Tensor) -> Tensor:
    p = out.sigmoid()
    return overlap(p + ((p > 0.5).float() - p).data, y)


def named_data(out: Tensor, y: Tensor) -> Tensor:
    held = SimpleNamespace(data=out)
    return overlap(held.data.sigmoid(), y)


def detached(out: Tensor, y: Tensor) -> Tensor:
    return overlap(out.sigmoid(), y).detach()


Part = Callable[[Tensor, Tensor], Tensor]
HEALTHY: tuple[Part, ...] = (
    *(soft, straight_through, straight_through_the_loss, own_gradient, own_gradient_of_rounding, own_gradient_of_a_sum),
    *(weighed_by_data, straight_through_data, named_data),
    *(watched, balanced, hard_examples, own_targets, rewards, detached),
)


def warnings_of(path: Path, part: Callable[[Tensor, Tensor], Any]) -> list[Any]:
    torch.manual_seed(0)
    with tensordbg.record(path) as recording:
        model = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
        optimizer = torch.optim.Adam(model.parameters(), 0.01)
        for _ in range(8):
            x = torch.randn(32, 6)
            y = (x[:, :4] > 0).float()
            out = model(x)
            loss = torch.nn.functional.binary_cross_entropy_with_logits(out, y) + part(out, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return list(tensordbg.open(recording.path).why().warnings)


@pytest.mark.filterwarnings("ignore:To copy construct")
@pytest.mark.parametrize("part", [by_threshold, by_rounding, by_argmax, by_choice, by_data, by_data_within, by_copy])
def test_the_line_that_cuts_a_part_off_is_told(tmp_path: Path, part: Part) -> None:
    (warning,) = warnings_of(tmp_path, part)
    assert warning.kind == "cut_part"
    assert "A part of the loss aten::add:0 teaches nothing" in warning.explanation
    lines = enumerate(Path(__file__).read_text().splitlines(), 1)
    own = part.__code__.co_firstlineno
    number, _ = next((number, text) for number, text in lines if number > own and text.endswith("# CUTS"))
    assert warning.source.line == number
    assert f"{Path(__file__).name}:{number}" in warning.explanation
    assert warning.suggestion.startswith("Compute this part of what has a slope")


@pytest.mark.parametrize("read", [lambda each: each.item(), lambda each: 0.5 * each.item()])
def test_a_part_that_is_added_as_a_number_is_told(tmp_path: Path, read: Callable[[Tensor], float]) -> None:
    (warning,) = warnings_of(tmp_path, lambda out, y: read(overlap(out.sigmoid(), y)))
    assert warning.kind == "cut_part"
    assert "is made of what is trained, but is added as a number that was read from it" in warning.explanation


@pytest.mark.parametrize("part", HEALTHY)
def test_what_has_a_gradient_or_none_by_intent_is_left_alone(tmp_path: Path, part: Part) -> None:
    assert warnings_of(tmp_path, part) == []
