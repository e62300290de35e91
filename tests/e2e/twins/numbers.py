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
ROWS = np.linspace(0.2, 1.6, 8, dtype="float32")
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
    "mlp": ("scaled", "scale", "smoothing", "reduction", "clipping", "decay", "everything"),
    "cnn": ("epsilon", "pool", "flatten"),
    "transformer": (
        "fused", "unscaled", "unmasked", "axis", "epsilon", "gelu", "residual", "parameter", "transposed", "dropout",
    ),
    "lstm": ("gates",),
}  # fmt: skip
"""What is changed in PyTorch; `fused` and `scaled` compute the same."""

_NOISE = np.random.default_rng(9)


def noise(shape: tuple[int, ...]) -> Array:
    """Small numbers for weights of a shape, other ones in each call."""
    return (0.1 * _NOISE.normal(size=shape)).astype("float32")


PORTS = {
    "convnet": ("epsilon", "slope", "padding", "average", "swapped", "momentum", "rate"),
    "resnet": ("residual", "early", "evaluation"),
    "encoder": ("epsilon", "approximation", "repeated", "unscaled", "dropout", "last"),
    "recurrent": ("forget", "order", "mean", "biases"),
    "tower": ("adam", "broadcast", "rate", "sum"),
}
"""What is changed in ports of the Keras models to PyTorch modules: what people get wrong in such ports."""
