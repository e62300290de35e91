"""Training steps of PyTorch programs: a transformer, a convolutional network, and an MLP of tiny operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn
from torch.nn import functional

Step = Callable[[], Any]


def _training(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> Step:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x).flatten(0, -2), y.flatten())
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def transformer() -> Step:
    """Two layers of 128, on 16 sequences of 64."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True)
    model = nn.Sequential(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(128, 100))
    return _training(model, torch.randn(16, 64, 128), torch.randint(0, 100, (16, 64)))


def convolution() -> Step:
    """Three convolutions with batch normalisation, on 16 images of 32 by 32."""
    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for before, after in ((3, 32), (32, 64), (64, 64)):
        layers += [nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU(), nn.MaxPool2d(2)]
    model = nn.Sequential(*layers, nn.Flatten(), nn.Linear(64 * 16, 10))
    return _training(model, torch.randn(16, 3, 32, 32), torch.randint(0, 10, (16,)))


def mlp() -> Step:
    """Operations so small that only their number counts."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    return _training(model, torch.randn(64, 64), torch.randint(0, 10, (64,)))


STEPS: Mapping[str, Callable[[], Step]] = {"transformer": transformer, "convolution": convolution, "mlp": mlp}
