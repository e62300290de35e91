"""`tdbg diff` of batch normalizations that are frozen in one run: they go by what was kept, and by no batch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
_DRAWN = np.random.default_rng(5)
X, Y = _DRAWN.normal(size=(8, 6)).astype("float32"), _DRAWN.integers(0, 3, 8)
KERNEL, HEAD = ((0.4 * _DRAWN.normal(size=size)).astype("float32") for size in ((6, 8), (8, 3)))


def in_keras(folder: Path, *, frozen: bool) -> Path:
    keras: Any = pytest.importorskip("keras")
    layers = [keras.layers.Dense(each.shape[1], use_bias=False) for each in (KERNEL, HEAD)]
    norm = keras.layers.BatchNormalization(epsilon=1e-5)
    model = keras.Sequential([keras.layers.Input((6,)), layers[0], norm, layers[1]])
    layers[0].set_weights([KERNEL])
    layers[1].set_weights([HEAD])
    norm.moving_mean.assign(np.full(8, 0.1, "float32"))
    norm.trainable = not frozen
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.SGD(0.1), loss)
    with tensordbg.record(folder):
        model.fit(np.tile(X, (2, 1)), np.tile(Y, 2), batch_size=8, shuffle=False, verbose=0)
    return folder


def in_torch(folder: Path, *, frozen: bool) -> Path:
    layers = [torch.nn.Linear(*each.shape, bias=False) for each in (KERNEL, HEAD)]
    model = torch.nn.Sequential(layers[0], torch.nn.BatchNorm1d(8), layers[1])
    layers[0].weight.data, layers[1].weight.data = torch.tensor(KERNEL.T), torch.tensor(HEAD.T)
    model[1].running_mean.fill_(0.1)
    model[1].requires_grad_(not frozen).train(not frozen)
    optimizer = torch.optim.SGD([each for each in model.parameters() if each.requires_grad], 0.1)
    with tensordbg.record(folder):
        for _ in range(2):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(torch.tensor(X)), torch.tensor(Y)).backward()
            optimizer.step()
    return folder


def test_a_normalization_that_one_run_has_frozen(tmp_path: Path) -> None:
    """Keras writes both forms out: nothing but the variable says which it is."""
    runs = {
        (way.__name__, frozen): way(tmp_path / f"{way.__name__} {frozen}", frozen=frozen)
        for way in (in_keras, in_torch) for frozen in (False, True)
    }  # fmt: skip
    for a, b in (("in_keras", "in_torch"), ("in_torch", "in_keras"), ("in_keras", "in_keras")):
        for frozen in (False, True):
            assert tensordbg.diff(runs[a, frozen], runs[b, frozen]).status == "same"
            found = tensordbg.diff(runs[a, frozen], runs[b, not frozen]).first
            assert found is not None
            told = [(each.attribute, each.a, each.b) for each in found.difference]
            assert told == [("training", not frozen, frozen)]
            assert found.suggestion == f"set training to {not frozen} in B"
