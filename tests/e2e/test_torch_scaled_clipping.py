"""Gradients that are clipped before a scaler divides them by its scale, and programs that do it in the right order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

import tensordbg

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
from torch import nn  # noqa: E402

Clip = Callable[[list[nn.Parameter]], object]


def by_norm(parameters: list[nn.Parameter]) -> None:
    nn.utils.clip_grad_norm_(parameters, 1.0)


def by_value(parameters: list[nn.Parameter]) -> None:
    nn.utils.clip_grad_value_(parameters, 1.0)


def by_hand(parameters: list[nn.Parameter]) -> None:
    for each in _gradients(parameters):
        each.mul_((1.0 / (each.norm() + 1e-6)).clamp(max=1.0))


def by_number(parameters: list[nn.Parameter]) -> None:
    for each in _gradients(parameters):
        each.mul_(0.5)


def by_large_limit(parameters: list[nn.Parameter]) -> None:
    nn.utils.clip_grad_norm_(parameters, 1e9)


def _gradients(parameters: Iterable[nn.Parameter]) -> list[torch.Tensor]:
    return [each.grad for each in parameters if each.grad is not None]


def warnings_of(folder: Path, clip: Clip, unscale_first: str) -> list[str]:
    torch.manual_seed(0)
    with tensordbg.record(folder) as recording:
        model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
        optimizer = torch.optim.SGD(model.parameters(), 1e-2)
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)
        for _ in range(8):
            x = torch.randn(32, 8)
            optimizer.zero_grad()
            loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
            scaler.scale(loss).backward()
            if unscale_first:
                scaler.unscale_(optimizer)
            clip(list(model.parameters()))
            scaler.step(optimizer)
            scaler.update()
    return [each.kind for each in tensordbg.open(recording.path).why().warnings]


@pytest.mark.parametrize("clip", [by_norm, by_value, by_hand])
def test_what_is_clipped_while_it_is_scaled(clip: Clip, tmp_path: Path) -> None:
    assert warnings_of(tmp_path, clip, "") == ["clipped_while_scaled"]


@pytest.mark.parametrize("clip", [by_norm, by_value, by_hand])
def test_what_is_unscaled_first(clip: Clip, tmp_path: Path) -> None:
    assert warnings_of(tmp_path, clip, "unscaled") == []


@pytest.mark.parametrize("clip", [by_number, by_large_limit])
def test_what_limits_nothing(clip: Clip, tmp_path: Path) -> None:
    assert warnings_of(tmp_path, clip, "") == []
