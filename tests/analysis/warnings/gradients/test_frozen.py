"""Keras models that are fitted although nothing of them is trainable are told, and no others."""

from __future__ import annotations

from pathlib import Path

import keras
import numpy as np
import pytest

import tensordbg


@pytest.mark.filterwarnings("ignore:The model does not have any trainable weights")
@pytest.mark.parametrize(
    ("frozen", "method", "kinds"),
    [(3, "fit", ["no_updates"]), (1, "fit", []), (3, "evaluate", [])],
)
def test_only_a_model_that_is_frozen_whole_is_told(frozen: int, method: str, kinds: list[str], tmp_path: Path) -> None:
    keras.utils.set_random_seed(1)
    x = np.random.default_rng(0).normal(size=(32, 4)).astype(np.float32)
    y = (x.sum(1, keepdims=True) > 0).astype(np.float32)
    layers = [keras.layers.Dense(8, "tanh"), keras.layers.BatchNormalization(), keras.layers.Dense(1, "sigmoid")]
    model = keras.Sequential([keras.Input((4,)), *layers])
    for layer in layers[:frozen]:
        layer.trainable = False
    model.compile("adam", "binary_crossentropy")
    with tensordbg.record(tmp_path) as recording:
        getattr(model, method)(x, y, batch_size=4, verbose=0)
    warnings = tensordbg.open(recording.path).why().warnings
    assert [each.kind for each in warnings] == kinds
    assert all("none of its variables is trainable" in each.explanation for each in warnings)
