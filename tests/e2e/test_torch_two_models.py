"""Two models with parts of the same names, which one line calls: what happens in one is not said of the other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tensordbg

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
from torch import nn  # noqa: E402


def adversaries(bias: float) -> None:
    critic = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))
    generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
    with torch.no_grad():
        critic[0].bias.fill_(bias)
    optimizers = [torch.optim.RMSprop(each.parameters(), 1e-3) for each in (critic, generator)]
    for _ in range(12):
        fake, real = generator(torch.randn(32, 4)), torch.randn(32, 2) + 1.0
        optimizers[0].zero_grad()
        (critic(fake.detach()).mean() - critic(real).mean()).backward()
        optimizers[0].step()
        optimizers[1].zero_grad()
        (-critic(generator(torch.randn(32, 4))).mean()).backward()
        optimizers[1].step()


def kinds(bias: float, folder: Path) -> list[str]:
    torch.manual_seed(0)
    with tensordbg.record(folder) as recording:
        adversaries(bias)
    return [each.kind for each in tensordbg.open(recording.path).why().warnings]


def test_a_dead_critic_gives_gradients_that_are_zero(tmp_path: Path) -> None:
    assert kinds(-50.0, tmp_path) == ["dead_units"]


def test_a_critic_that_is_not_dead(tmp_path: Path) -> None:
    assert kinds(0.0, tmp_path) == []


def test_each_model_has_operations_of_its_own(tmp_path: Path) -> None:
    models = [nn.Sequential(nn.Linear(4, 4)) for _ in range(2)]
    with tensordbg.record(tmp_path) as recording:
        for _ in range(3):
            [model(torch.randn(2, 4)) for model in models]
            nn.Sequential(nn.Linear(4, 4))(torch.randn(2, 4))  # it is gone when the next one is made
    sites = tensordbg.open(recording.path).sql("select site, layer from sites where name = 'aten::addmm'")
    assert [json.loads(layer)["path"] for layer in sites.to_pydict()["layer"]] == ["0"] * 3
