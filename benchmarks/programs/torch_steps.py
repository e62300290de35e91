"""Training steps of PyTorch programs: a transformer, a convolutional network, and an MLP of tiny operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional

Step = Callable[[], Any]


@dataclass(frozen=True)
class Training:
    """What one step needs."""

    model: nn.Module
    x: torch.Tensor
    y: torch.Tensor

    def step(self) -> Step:
        """A step as most programs have it: its operations run one by one."""
        return self._step_of(self._loss)

    def compiled(self) -> Step:
        """The same with the model and the loss compiled; the optimizer runs eagerly."""
        return self._step_of(torch.compile(self._loss))

    def _loss(self) -> torch.Tensor:
        return functional.cross_entropy(self.model(self.x).flatten(0, -2), self.y.flatten())

    def _step_of(self, loss_of: Callable[[], torch.Tensor]) -> Step:
        optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-4)

        def step() -> torch.Tensor:
            optimizer.zero_grad()
            loss = loss_of()
            loss.backward()
            optimizer.step()
            return loss.detach()

        return step


def transformer() -> Training:
    """Two layers of 128, on 16 sequences of 64."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True)
    model = nn.Sequential(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(128, 100))
    return Training(model, torch.randn(16, 64, 128), torch.randint(0, 100, (16, 64)))


def convolution() -> Training:
    """Three convolutions with batch normalisation, on 16 images of 32 by 32."""
    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for before, after in ((3, 32), (32, 64), (64, 64)):
        layers += [nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU(), nn.MaxPool2d(2)]
    model = nn.Sequential(*layers, nn.Flatten(), nn.Linear(64 * 16, 10))
    return Training(model, torch.randn(16, 3, 32, 32), torch.randint(0, 10, (16,)))


def mlp() -> Training:
    """Operations so small that only their number counts."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    return Training(model, torch.randn(64, 64), torch.randint(0, 10, (64,)))


TRAININGS: Mapping[str, Callable[[], Training]] = {"transformer": transformer, "convolution": convolution, "mlp": mlp}
