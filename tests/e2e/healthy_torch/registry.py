"""The list of healthy PyTorch programs, and the data that they learn from."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache

import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn

Program = Callable[[], object]
PROGRAMS: list[Program] = []


def healthy(program: Program) -> Program:
    """Enters a program into the list."""
    PROGRAMS.append(program)
    return program


@cache
def digits() -> tuple[Tensor, Tensor]:
    """1,024 pictures of 64 points from 0 to 1, with their digits."""
    data = load_digits()
    return torch.tensor(data.data / 16.0, dtype=torch.float32)[:1024], torch.tensor(data.target)[:1024]


def batch(step: int, size: int = 64) -> tuple[Tensor, Tensor]:
    """One batch of the digits, round and round."""
    x, y = digits()
    begin = step * size % len(x)
    return x[begin : begin + size], y[begin : begin + size]


def dense(*widths: int) -> nn.Sequential:
    """A network of fully connected layers with ReLUs between."""
    layers: list[nn.Module] = []
    for inputs, outputs in itertools.pairwise(widths):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def classify(model: nn.Module, optimizer: torch.optim.Optimizer, steps: int = 24) -> None:
    """Trains a classifier of the digits."""
    for step in range(steps):
        x, y = batch(step)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()


def improve(loss: Tensor, optimizer: torch.optim.Optimizer) -> None:
    """One step of an optimizer."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
