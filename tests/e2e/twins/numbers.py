"""Weights and batches that the twins share."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_DRAW = np.random.default_rng(3)


def _weight(*shape: int) -> Array:
    return (0.3 * _DRAW.normal(size=shape)).astype("float32")


X, LABELS = _DRAW.normal(size=(8, 20)).astype("float32"), _DRAW.integers(0, 5, 8)
IMAGES, CLASSES = _DRAW.normal(size=(4, 8, 8, 3)).astype("float32"), _DRAW.integers(0, 5, 4)
IDS = _DRAW.integers(0, 30, (4, 6))
NEXT = IDS.reshape(-1)

MLP = {"w1": _weight(20, 16), "b1": _weight(16), "w2": _weight(16, 5), "b2": _weight(5)}
CNN = {
    "k1": _weight(3, 3, 3, 8), "gamma": 1 + _weight(8), "beta": _weight(8), "k2": _weight(3, 3, 8, 8),
    "fc": _weight(32, 5),
}  # fmt: skip
TRANSFORMER = {
    "embedding": _weight(30, 16), "q": _weight(16, 16), "k": _weight(16, 16), "v": _weight(16, 16),
    "o": _weight(16, 16), "f1": 3 * _weight(16, 32), "f2": _weight(32, 16), "gamma": 1 + _weight(16),
    "beta": _weight(16),
}  # fmt: skip
LSTM = {
    "embedding": _weight(30, 16), "kernel": _weight(16, 48), "recurrent": _weight(12, 48), "bias": _weight(48),
    "out": _weight(12, 30),
}  # fmt: skip

CHANGES = {
    "mlp": ("scale", "smoothing", "reduction", "clipping", "decay", "everything"),
    "cnn": ("epsilon", "pool", "flatten"),
    "transformer": (
        "fused", "unscaled", "unmasked", "axis", "epsilon", "gelu", "residual", "parameter", "transposed", "dropout",
    ),
    "lstm": ("gates",),
}  # fmt: skip
"""What is changed in PyTorch; `fused` computes the same."""
