"""The words of the computations in TensorFlow."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

Tensor = Any

add, multiply, divide, power = tf.add, tf.multiply, tf.divide, tf.pow
exp, log, log1p, sqrt, square, tanh = tf.exp, tf.math.log, tf.math.log1p, tf.sqrt, tf.square, tf.tanh
absolute, sign, arccos, reciprocal = tf.abs, tf.sign, tf.acos, tf.math.reciprocal
matmul, where, reshape, inverse = tf.matmul, tf.where, tf.reshape, tf.linalg.inv
maximum, minimum, logical_and = tf.maximum, tf.minimum, tf.logical_and
total, mean, largest, product, gather = tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_prod, tf.gather
rsqrt, sigmoid, relu, softmax, log_softmax = tf.math.rsqrt, tf.sigmoid, tf.nn.relu, tf.nn.softmax, tf.nn.log_softmax
cast, transpose = tf.cast, tf.linalg.matrix_transpose


def tensor(array: Any) -> Tensor:
    return tf.constant(array)


def variable(array: Any) -> Tensor:
    return tf.Variable(array)


def array(result: Tensor) -> Any:
    return np.asarray(result)


def concat(parts: list[Tensor], axis: int = 0) -> Tensor:
    return tf.concat(parts, axis)


def mean_of_rows(x: Tensor) -> Tensor:
    return tf.reduce_mean(x, axis=0)


def gradient(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    with tf.GradientTape() as tape:
        tape.watch(x)
        result = function(x)
    return tape.gradient(result, x)


def loop(times: int, body: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    return tf.while_loop(lambda k, _: k < times, lambda k, x: (k + 1, body(x)), (tf.constant(0), x))[1]


def branch(condition: Tensor, then: Callable[[], Tensor], otherwise: Callable[[], Tensor]) -> Tensor:
    return tf.cond(condition, then, otherwise)


def add_to(variable: Tensor, x: Tensor) -> Tensor:
    variable.assign_add(x)
    return variable


def read(variable: Tensor) -> Tensor:
    return tf.convert_to_tensor(variable)


def in_thread(function: Callable[[], Tensor]) -> Tensor:
    results: list[Tensor] = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]
