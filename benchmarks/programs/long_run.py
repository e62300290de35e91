"""A long training with many small tensors, of which most end up not finite: `long_run.py EVENTS`.

A step is 102 tensor events: six dense layers and their gradients, each time of other numbers. Then the learning rate is
set so high that the weights overflow, and from there on nearly everything is NaN: the worst case for the analysis.
"""

from __future__ import annotations

import sys

import tensorflow as tf

EVENTS_OF_A_STEP = 102
FINITE = 0.4
"""This share of the steps goes well."""


def main() -> None:
    """Trains until about so many tensor events were computed."""
    steps = int(sys.argv[1]) // EVENTS_OF_A_STEP
    tf.random.set_seed(1)
    weights = [tf.Variable(tf.random.normal([4, 4], stddev=0.5), name=f"w{index}") for index in range(6)]
    rate = tf.Variable(1e-4, trainable=False, name="rate")
    y = tf.random.normal([8, 4])

    @tf.function
    def train_step() -> tf.Tensor:
        x = tf.random.normal([8, 4])
        with tf.GradientTape() as tape:
            value = x
            for weight in weights:
                value = tf.nn.relu(value @ weight + 0.1) * 1.01
            loss = tf.reduce_mean(tf.square(value - y))
        for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(rate * gradient + 0.0)
        return loss

    for step in range(steps):
        if step == int(steps * FINITE):
            rate.assign(1e30)
        train_step()


if __name__ == "__main__":
    main()
