"""The same classifier in a session of TensorFlow 1; its second step meets a probability of 0."""

from __future__ import annotations

import argparse

import numpy as np
import tensorflow.compat.v1 as tf
from sklearn.datasets import load_digits

INPUTS, HIDDEN, CLASSES, BATCH = 64, 128, 10, 100
RATE = 0.0002


def dense(x: tf.Tensor, outputs: int, name: str, seed: int) -> tf.Tensor:
    """A fully connected layer, in a scope of its name."""
    inputs = int(x.shape[1])
    start = np.random.default_rng(seed).normal(0.0, np.sqrt(2.0 / inputs), (inputs, outputs)).astype(np.float32)
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", initializer=start)
        bias = tf.get_variable("bias", [outputs], initializer=tf.zeros_initializer())
        return tf.matmul(x, kernel) + bias


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=18)
    parser.add_argument("--debug", default="")
    arguments = parser.parse_args()
    tf.disable_v2_behavior()
    train(arguments.steps)


def train(steps: int) -> None:
    """Builds the classifier in the graph that is there, and trains it."""
    digits = load_digits()
    images, labels = digits.data.astype(np.float32), np.eye(CLASSES, dtype=np.float32)[digits.target]
    x = tf.placeholder(tf.float32, [None, INPUTS], name="x")
    y = tf.placeholder(tf.float32, [None, CLASSES], name="y")
    hidden = tf.nn.relu(dense(x, HIDDEN, "hidden", 1))
    probs = tf.nn.softmax(dense(hidden, CLASSES, "out", 2), name="Softmax")
    loss = tf.negative(tf.reduce_sum(y * tf.log(probs, name="Log")), name="loss")
    update = tf.train.GradientDescentOptimizer(RATE).minimize(loss, name="train")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(steps):
            batch = slice(step * BATCH % 1700, step * BATCH % 1700 + BATCH)
            value, _ = session.run([loss, update], {x: images[batch], y: labels[batch]})
            print(f"step {step} loss {value:.6g}")


if __name__ == "__main__":
    main()
