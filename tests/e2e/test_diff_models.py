"""`tdbg diff` of models of layers: skips that are joined, an evaluation that was forgotten, the last for the first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tests.differences import first, told

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
keras: Any = pytest.importorskip("keras")
F: Any = torch.nn.functional
_DRAWN = np.random.default_rng(31)
IMAGES = _DRAWN.normal(size=(12, 6, 6, 3)).astype("float32")
LARGE = _DRAWN.normal(size=(8, 18, 18, 3)).astype("float32")
"""So many values that the variance of a sample is all but that of all."""
LABELS = _DRAWN.integers(0, 4, 12)
KERNELS = [(0.4 * _DRAWN.normal(size=size)).astype("float32") for size in ((3, 3, 3, 6), (3, 3, 12, 4))]
SEQUENCES = _DRAWN.normal(size=(3, 5, 8)).astype("float32")
SQUARE = _DRAWN.normal(size=(8, 8)).astype("float32")


def with_skip_in_keras(folder: Path) -> Path:
    images = keras.Input((6, 6, 3))
    inner = keras.layers.Conv2D(6, 3, padding="same", use_bias=False)
    last = keras.layers.Conv2D(4, 3, padding="same", use_bias=False)
    skip = inner(images)
    joined = keras.layers.Concatenate()([skip, keras.ops.tanh(skip)])
    model = keras.Model(images, last(joined))
    inner.set_weights([KERNELS[0]])
    last.set_weights([KERNELS[1]])
    with tensordbg.record(folder):
        model.predict(IMAGES, verbose=0)
    return folder


def with_skip_in_torch(folder: Path, skip_first: bool = True) -> Path:
    inner, last = (torch.tensor(each).permute(3, 2, 0, 1) for each in KERNELS)
    with tensordbg.record(folder), torch.no_grad():
        skip = F.conv2d(torch.tensor(IMAGES).permute(0, 3, 1, 2), inner, padding=1)
        parts = [skip, skip.tanh()] if skip_first else [skip.tanh(), skip]
        F.conv2d(torch.cat(parts, 1), last, padding=1)
    return folder


def test_values_that_are_joined_in_another_order(tmp_path: Path) -> None:
    reference = with_skip_in_keras(tmp_path / "a")
    assert tensordbg.diff(reference, with_skip_in_torch(tmp_path / "same")).status == "same"
    found = first(tensordbg.diff(reference, with_skip_in_torch(tmp_path / "b", skip_first=False)))
    assert found.explanation.startswith("aten::cat (test_diff_models.py:")
    assert found.explanation.endswith("joins, in another order")


def normalized_in_keras(folder: Path, *activation: Any) -> Path:
    inner = keras.layers.Conv2D(6, 3, use_bias=False)
    layers = [inner, keras.layers.BatchNormalization(epsilon=1e-5, momentum=0.9), *activation]
    pooled = [keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(4, use_bias=False)]
    model = keras.Sequential([keras.Input((18, 18, 3)), *layers, *pooled])
    inner.set_weights([KERNELS[0]])
    model.layers[-1].set_weights([SQUARE[:6, :4]])
    model.compile(keras.optimizers.SGD(0.05), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    with tensordbg.record(folder):
        model.fit(LARGE, LABELS[:8], batch_size=8, epochs=4, shuffle=False, verbose=0)
        model.predict(LARGE, verbose=0)
    return folder


def normalized_in_torch(folder: Path, *activation: Any, learns_on: bool) -> Path:
    """A port that may forget `model.eval()`."""
    inner, last = torch.nn.Conv2d(3, 6, 3, bias=False), torch.nn.Linear(6, 4, bias=False)
    inner.weight.data, last.weight.data = torch.tensor(KERNELS[0]).permute(3, 2, 0, 1), torch.tensor(SQUARE[:6, :4].T)
    pooled = [torch.nn.AvgPool2d(16), torch.nn.Flatten(), last]
    model = torch.nn.Sequential(inner, torch.nn.BatchNorm2d(6), *activation, *pooled)
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    x = torch.tensor(LARGE).permute(0, 3, 1, 2)
    with tensordbg.record(folder):
        for _ in range(4):
            optimizer.zero_grad()
            F.cross_entropy(model(x), torch.tensor(LABELS[:8])).backward()
            optimizer.step()
        with torch.no_grad():
            model.train(learns_on)(x)
    return folder


def test_an_evaluation_that_was_forgotten_after_training(tmp_path: Path) -> None:
    keras_run = normalized_in_keras(tmp_path / "a", keras.layers.ReLU())
    torch_run = normalized_in_torch(tmp_path / "b", torch.nn.ReLU(), learns_on=True)
    assert told(first(tensordbg.diff(keras_run, torch_run))) == [("training", False, True)]
    assert told(first(tensordbg.diff(torch_run, keras_run))) == [("training", True, False)]


def test_a_normalization_right_before_a_mean_of_all_places(tmp_path: Path) -> None:
    """Its bias has a gradient of many equal terms; the evaluation goes by variances of unlike formulas."""
    keras_run, torch_run = normalized_in_keras(tmp_path / "a"), normalized_in_torch(tmp_path / "b", learns_on=False)
    assert tensordbg.diff(keras_run, torch_run).status == "same"
    assert tensordbg.diff(torch_run, keras_run).status == "same"


def of_place(folder: Path, place: int) -> Path:
    with tensordbg.record(folder):
        torch.tanh(torch.tensor(SEQUENCES)[:, place] @ torch.tensor(SQUARE)).square().mean()
    return folder


def test_the_last_of_a_sequence_in_place_of_the_first(tmp_path: Path) -> None:
    import tensorflow as tf

    with tensordbg.record(tmp_path / "a"):
        tf.reduce_mean(tf.square(tf.tanh(tf.matmul(tf.constant(SEQUENCES)[:, 0], SQUARE))))
    assert tensordbg.diff(tmp_path / "a", of_place(tmp_path / "same", 0)).status == "same"
    found = first(tensordbg.diff(tmp_path / "a", of_place(tmp_path / "b", -1)))
    assert "or is another part of one value: the first or the last of a sequence" in found.explanation


def layers_in_torch(folder: Path, epsilons: tuple[float, ...]) -> Path:
    with tensordbg.record(folder):
        x = torch.tensor(SEQUENCES)
        for epsilon in epsilons:
            x = F.layer_norm(torch.sin(x), (8,), torch.tensor(SQUARE[0]), torch.tensor(SQUARE[1]), epsilon)
    return folder


def test_a_setting_that_one_line_has_in_several_ways(tmp_path: Path) -> None:
    """One line that normalizes with unlike numbers is one site, which tells none: the formula is named without it."""
    with tensordbg.record(tmp_path / "a"):
        x: Any = SEQUENCES
        for _ in range(2):
            layer = keras.layers.LayerNormalization(epsilon=1e-6)
            layer.build((None, 5, 8))
            layer.set_weights([SQUARE[0], SQUARE[1]])
            x = layer(keras.ops.sin(x))
    assert tensordbg.diff(tmp_path / "a", layers_in_torch(tmp_path / "same", (1e-6, 1e-6))).status == "same"
    found = first(tensordbg.diff(tmp_path / "a", layers_in_torch(tmp_path / "b", (1e-6, 1e-2))))
    assert "belong to one formula, computed of equal values with unlike results" in found.explanation
    assert found.a is not None
    assert found.a.view.shape == (3, 5, 8)
    assert found.error < 0.05  # the result of the layer stands beside that of the other, and no part of it
