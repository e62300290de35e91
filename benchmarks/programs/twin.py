"""A long training that stays healthy, for a comparison: `twin.py EVENTS [written|epsilon|late]`.

A step is some hundred tensor events: dense layers with a normalization between. `written` computes the same otherwise,
as another framework would; `epsilon` normalizes with another epsilon, and `late` trains at another rate in the second
half.
"""

from __future__ import annotations

import sys

import tensorflow as tf

EVENTS_OF_A_STEP = 176


def main() -> None:
    """Trains until about so many tensor events were computed."""
    steps = int(sys.argv[1]) // EVENTS_OF_A_STEP
    change = sys.argv[2] if len(sys.argv) > 2 else ""
    tf.random.set_seed(1)
    weights = [tf.Variable(tf.random.normal([12, 12], stddev=0.3), name=f"w{index}") for index in range(4)]
    rate = tf.Variable(1e-3, trainable=False, name="rate")
    epsilon = 1e-2 if change == "epsilon" else 1e-5
    data = tf.random.normal([16, 8, 12]), tf.random.normal([8, 12])

    def dense(x: tf.Tensor, weight: tf.Variable) -> tf.Tensor:
        if change == "written":
            return tf.einsum("bi,ij->bj", x, weight)
        return x @ weight

    @tf.function
    def train_step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            value = x
            for weight in weights:
                value = tf.nn.relu(dense(value, weight) + 0.1)
                mean, variance = tf.nn.moments(value, -1, keepdims=True)
                value = (value - mean) * tf.math.rsqrt(variance + epsilon)
            loss = tf.reduce_mean(tf.square(value - y))
        for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(rate * gradient)
        return loss

    for step in range(steps):
        if change == "late" and step == steps // 2:
            rate.assign(2e-3)
        train_step(data[0][step % 16], data[1])


if __name__ == "__main__":
    main()
