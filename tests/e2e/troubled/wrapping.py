"""Whole numbers that go round without an error."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from tests.e2e.troubled.registry import trouble


@trouble("wrapped_integers", "add")
def an_image_made_brighter_in_a_function() -> None:
    @tf.function
    def brighter(image: tf.Tensor) -> tf.Tensor:
        return image + tf.constant(100, tf.uint8)  # HERE

    for low in (50, 120, 200):
        brighter(tf.constant(np.full([4, 4], low, np.uint8)))


@trouble("wrapped_integers", "sub")
def a_difference_of_images_in_a_dataset() -> None:
    frames = np.arange(80, dtype=np.uint8).reshape(5, 16)

    def change(pair: tf.Tensor) -> tf.Tensor:
        return pair[0] - pair[1]  # HERE

    for _ in tf.data.Dataset.from_tensor_slices(frames).batch(2, drop_remainder=True).map(change):
        pass


@trouble("wrapped_integers", "Mul")
def a_square_that_is_too_large() -> None:
    side = tf.constant([60000, 70000])
    area = side * side  # HERE
    tf.reduce_mean(tf.cast(area, tf.float32))


@trouble("wrapped_integers", "Cast")
def a_cast_of_what_does_not_fit() -> None:
    scaled = tf.constant([0.5, 1.2]) * 255.0
    tf.cast(scaled, tf.uint8)  # HERE


@trouble("wrapped_integers", "Sum")
def a_sum_of_many_small_numbers() -> None:
    image = tf.constant(np.full([20, 20], 200, np.uint8))
    tf.reduce_sum(image)  # HERE


@trouble("wrapped_integers", "Cumsum")
def a_running_sum() -> None:
    tf.cumsum(tf.constant([2**30, 2**30, 2**30]))  # HERE


@trouble("wrapped_integers", "mul")
def a_factorial_in_a_loop() -> None:
    @tf.function
    def factorial(n: tf.Tensor) -> tf.Tensor:
        product = tf.constant(1)
        for k in tf.range(1, n + 1):
            product *= k  # HERE
        return product

    factorial(tf.constant(14))
