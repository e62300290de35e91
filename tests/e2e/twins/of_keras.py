"""Trains models of Keras layers by `fit`, keeps their weights, and records each: `python -m ... FOLDER`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import layers

import tensordbg
from tests.e2e.twins import numbers as given


def convnet() -> Any:
    return keras.Sequential(
        [
            layers.Input((8, 8, 3)),
            layers.Conv2D(8, 3, padding="same", name="first"),
            layers.BatchNormalization(name="norm"),
            layers.LeakyReLU(negative_slope=0.3),
            layers.MaxPooling2D(2),
            layers.Conv2D(12, 3, strides=2, padding="same", name="second"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(5, name="head"),
        ]
    )


def resnet() -> Any:
    x = given_input = layers.Input((8, 8, 3))
    x = layers.Conv2D(8, 3, padding="same", use_bias=False, name="stem")(x)
    for number, (width, stride) in enumerate(((8, 1), (16, 2))):
        short = x
        x = layers.ZeroPadding2D(1)(x)
        x = layers.Conv2D(width, 3, strides=stride, use_bias=False, name=f"a{number}")(x)
        x = layers.ReLU()(layers.BatchNormalization(epsilon=1e-5, name=f"na{number}")(x))
        x = layers.Conv2D(width, 3, padding="same", use_bias=False, name=f"b{number}")(x)
        x = layers.BatchNormalization(epsilon=1e-5, name=f"nb{number}")(x)
        if stride != 1:
            short = layers.Conv2D(width, 1, strides=stride, use_bias=False, name=f"s{number}")(short)
        x = layers.ReLU()(layers.Add()([x, short]))
    return keras.Model(given_input, layers.Dense(5, name="head")(layers.GlobalAveragePooling2D()(x)))


def encoder() -> Any:
    ids = layers.Input((6,), dtype="int32")
    x = layers.Embedding(30, 16, name="embedding")(ids)
    h = layers.LayerNormalization(name="norm1")(x)
    h = layers.GroupQueryAttention(8, 4, 2, name="attention")(h, h)
    x = layers.Add()([x, h])
    h = layers.LayerNormalization(name="norm2")(x)
    h = layers.Dense(32, activation="gelu", name="up")(h)
    x = layers.Add()([x, layers.Dense(16, name="down")(h)])
    return keras.Model(ids, layers.Dense(5, name="head")(layers.GlobalAveragePooling1D()(x)))


def recurrent() -> Any:
    return keras.Sequential(
        [
            layers.Input((6,), dtype="int32"),
            layers.Embedding(30, 16, name="embedding"),
            layers.LSTM(12, name="lstm"),
            layers.Dense(5, name="head"),
        ]
    )


def tower() -> Any:
    return keras.Sequential(
        [
            layers.Input((20,)),
            layers.Dense(32, activation="tanh", name="first"),
            layers.Dense(16, activation="elu", name="second"),
            layers.Dense(5, name="head"),
        ]
    )


MODELS: dict[str, tuple[Callable[[], Any], Any, Any]] = {
    "convnet": (convnet, given.IMAGES, given.CLASSES),
    "resnet": (resnet, given.IMAGES, given.CLASSES),
    "encoder": (encoder, given.IDS.astype("int32"), given.CLASSES),
    "recurrent": (recurrent, given.IDS.astype("int32"), given.CLASSES),
    "tower": (tower, given.X, given.LABELS),
}


def train(build: Callable[[], Any], x: Any, labels: Any, kept: Path) -> None:
    keras.utils.set_random_seed(5)
    model = build()
    for weight in model.trainable_weights:  # so that no two are alike, nor any zero or one throughout
        weight.assign(weight.numpy() + given.noise(weight.shape))
    np.savez(kept, **{weight.path: weight.numpy() for weight in model.weights})
    optimizer = keras.optimizers.Adam(0.01, epsilon=1e-12) if build is tower else keras.optimizers.SGD(0.05)
    model.compile(optimizer, keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    rows = given.ROWS if build is tower else None
    model.fit(x, labels, batch_size=len(x), epochs=3, shuffle=False, verbose=0, sample_weight=rows)


if __name__ == "__main__":
    for name, (build, x, labels) in MODELS.items():
        with tensordbg.record(Path(sys.argv[1]) / f"{name}-keras"):
            train(build, x, labels, Path(sys.argv[1]) / f"{name}.npz")
