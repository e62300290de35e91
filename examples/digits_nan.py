"""A classic: cross-entropy as `-sum(labels * log(probs))`, which turns to NaN once a probability underflows to zero.

A two-layer network in low-level TensorFlow learns scikit-learn's handwritten digits, real scans of 8 by 8 pixels.
Within a few steps the softmax is so sure of itself that a probability becomes exactly 0; its logarithm is -inf, and
0 * -inf is NaN. From then on all weights are NaN and the accuracy is that of guessing.

    tdbg run examples/digits_nan.py            # see it happen, and why
    tdbg run examples/digits_nan.py --fixed    # the loss computed from the logits instead
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

CLASSES = 10
BATCH = 100


class Dense(tf.Module):
    """A fully connected layer."""

    def __init__(self, inputs: int, outputs: int, seed: int, name: str) -> None:
        super().__init__(name=name)
        kernel = np.random.default_rng(seed).normal(0.0, np.sqrt(2.0 / inputs), (inputs, outputs))
        self.kernel = tf.Variable(kernel.astype(np.float32), name=f"{name}/kernel")
        self.bias = tf.Variable(tf.zeros([outputs]), name=f"{name}/bias")

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.matmul(x, self.kernel) + self.bias


class Network(tf.Module):
    """Pixels to the logits of the ten digits."""

    def __init__(self) -> None:
        super().__init__(name="network")
        self.hidden = Dense(64, 128, seed=1, name="hidden")
        self.output = Dense(128, CLASSES, seed=2, name="output")

    @tf.function
    def logits(self, images: tf.Tensor) -> tf.Tensor:
        return self.output(tf.nn.relu(self.hidden(images)))


def unstable_loss(labels: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
    """The textbook formula, taken literally."""
    probs = tf.nn.softmax(logits, name="probs")
    return tf.reduce_mean(-tf.reduce_sum(labels * tf.math.log(probs), axis=1))


def stable_loss(labels: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
    """The same quantity, computed so that nothing underflows."""
    return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels, logits))


class Momentum(tf.Module):
    """Gradient descent with momentum."""

    def __init__(self, variables: Sequence[tf.Variable], learning_rate: float) -> None:
        super().__init__(name="momentum")
        self.learning_rate = learning_rate
        self.pairs = [(v, tf.Variable(tf.zeros_like(v), name=f"{v.name[:-2]}/momentum")) for v in variables]

    def apply(self, gradients: Sequence[tf.Tensor]) -> None:
        for (variable, momentum), gradient in zip(self.pairs, gradients):
            variable.assign_sub(self.learning_rate * momentum.assign(0.9 * momentum + gradient))


Loss = Callable[[tf.Tensor, tf.Tensor], tf.Tensor]


def make_train_step(network: Network, loss: Loss, optimizer: Momentum) -> Loss:
    """One step of training, as a graph; the loss is a graph of its own, called from it."""
    loss = tf.function(loss)

    @tf.function
    def train_step(images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            value = loss(labels, network.logits(images))
        optimizer.apply(tape.gradient(value, network.trainable_variables))
        return value

    return train_step


def accuracy(network: Network, images: np.ndarray, labels: np.ndarray) -> float:
    return float(np.mean(np.argmax(network.logits(tf.constant(images)).numpy(), axis=1) == labels))


def main() -> None:
    parser = argparse.ArgumentParser(description="Train on the handwritten digits; watch it fail.")
    parser.add_argument("--fixed", action="store_true", help="compute the loss from the logits")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--learning-rate", type=float, default=0.0125)
    arguments = parser.parse_args()

    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    images, labels = digits.data.astype(np.float32)[order], digits.target[order]
    test = slice(1500, None)  # the first 1500 are for training

    network = Network()
    optimizer = Momentum(network.trainable_variables, arguments.learning_rate)
    train_step = make_train_step(network, stable_loss if arguments.fixed else unstable_loss, optimizer)
    batches = np.random.default_rng(3)
    for step in range(arguments.steps):
        chosen = batches.choice(1500, BATCH, replace=False)
        one_hot = np.eye(CLASSES, dtype=np.float32)[labels[chosen]]
        loss = float(train_step(tf.constant(images[chosen]), tf.constant(one_hot)))
        if step < 10 or step % 10 == 9:
            print(f"step {step:3d}  loss {loss:8.4f}  accuracy {accuracy(network, images[test], labels[test]):.2f}")


if __name__ == "__main__":
    main()
