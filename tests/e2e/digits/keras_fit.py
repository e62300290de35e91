"""A Keras classifier of handwritten digits with the textbook loss; its fourth batch meets a probability of 0."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits


def unstable(labels: tf.Tensor, probs: tf.Tensor) -> tf.Tensor:
    return -tf.reduce_sum(labels * tf.math.log(probs))


def main() -> None:
    keras.utils.set_random_seed(2)
    digits = load_digits()
    images, labels = digits.data.astype(np.float32), np.eye(10, dtype=np.float32)[digits.target]
    layers = [
        keras.layers.Input((64,)),
        keras.layers.Dense(128, activation="relu", name="hidden"),
        keras.layers.Dense(10, activation="softmax", name="probs"),
    ]
    model = keras.Sequential(layers, name="digits")
    model.compile(keras.optimizers.SGD(0.00033), unstable)
    model.fit(images, labels, batch_size=100, epochs=1, shuffle=False, verbose=0)
    print("weights", [array.tobytes().hex()[:16] for array in model.get_weights()])


if __name__ == "__main__":
    main()
