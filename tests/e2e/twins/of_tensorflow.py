"""Trains four models in TensorFlow, in functions and eagerly, and records each: `python -m ... FOLDER`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import tensorflow as tf

import tensordbg
from tests.e2e.twins import numbers as given


def mlp(p: Any) -> Any:
    return tf.nn.relu(given.X @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]


def cnn(p: Any) -> Any:
    h = tf.nn.conv2d(given.IMAGES, p["k1"], 1, "SAME")
    mean, variance = tf.nn.moments(h, [0, 1, 2])
    h = tf.nn.batch_normalization(h, mean, variance, p["beta"], p["gamma"], 1e-5)
    h = tf.nn.max_pool2d(tf.nn.relu(h), 2, 2, "SAME")
    h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(h, p["k2"], 1, "SAME")), 2, 2, "SAME")
    return tf.reshape(h, [4, -1]) @ p["fc"]


def normalised(p: Any, x: Any) -> Any:
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5) * p["gamma"] + p["beta"]


def transformer(p: Any) -> Any:
    x = tf.gather(p["embedding"], given.IDS)
    h = normalised(p, x)
    q, k, v = (tf.transpose(tf.reshape(h @ p[name], [4, 6, 4, 4]), [0, 2, 1, 3]) for name in "qkv")
    scores = tf.matmul(q, k, transpose_b=True) * 0.5
    scores = tf.where(tf.linalg.band_part(tf.ones([6, 6]), -1, 0) > 0, scores, -1e9)
    mixed = tf.reshape(tf.transpose(tf.nn.softmax(scores) @ v, [0, 2, 1, 3]), [4, 6, 16])
    x = x + mixed @ p["o"]
    x = x + tf.nn.gelu(normalised(p, x) @ p["f1"]) @ p["f2"]
    return tf.reshape(tf.matmul(x, p["embedding"], transpose_b=True), [-1, 30])


def lstm(p: Any) -> Any:
    x, h, c, out = tf.gather(p["embedding"], given.IDS), tf.zeros([4, 12]), tf.zeros([4, 12]), []
    for step in range(6):
        i, f, g, o = tf.split(x[:, step] @ p["kernel"] + h @ p["recurrent"] + p["bias"], 4, 1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        h = tf.sigmoid(o) * tf.tanh(c)
        out.append(h)
    return tf.reshape(tf.stack(out, 1) @ p["out"], [-1, 30])


def train(model: Callable[[Any], Any], weights: Any, labels: Any, eager: bool) -> None:
    p = {name: tf.Variable(value, name=name) for name, value in weights.items()}
    optimizer = keras.optimizers.SGD(0.1)

    def step() -> None:
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=model(p))
            loss = tf.reduce_mean(losses)
        optimizer.apply_gradients(zip(tape.gradient(loss, list(p.values())), p.values(), strict=True))

    run = step if eager else tf.function(step)
    for _ in range(3):
        run()


MODELS = {
    "mlp": (mlp, given.MLP, given.LABELS),
    "cnn": (cnn, given.CNN, given.CLASSES),
    "transformer": (transformer, given.TRANSFORMER, given.NEXT),
    "lstm": (lstm, given.LSTM, given.NEXT),
}

if __name__ == "__main__":
    for name, (model, weights, labels) in MODELS.items():
        for way, eager in (("function", False), ("eager", True)):
            with tensordbg.record(Path(sys.argv[1]) / f"{name}-{way}"):
                train(model, weights, labels, eager)
