"""The words of the computations in NumPy: what they give is the reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

Array = Any

add, multiply, divide, power = np.add, np.multiply, np.divide, np.power
exp, log, log1p, sqrt, square, tanh = np.exp, np.log, np.log1p, np.sqrt, np.square, np.tanh
absolute, sign, arccos, reciprocal = np.abs, np.sign, np.arccos, np.reciprocal
matmul, where, concat, reshape, inverse = np.matmul, np.where, np.concatenate, np.reshape, np.linalg.inv
maximum, minimum, logical_and = np.maximum, np.minimum, np.logical_and
total, mean, largest, product = np.sum, np.mean, np.max, np.prod


def cast(x: Array, dtype: str) -> Array:
    return np.asarray(x).astype(getattr(ml_dtypes, dtype) if dtype == "bfloat16" else dtype)


def transpose(x: Array) -> Array:
    return np.swapaxes(x, -1, -2)


def gather(x: Array, indices: list[int]) -> Array:
    return x[indices]


def rsqrt(x: Array) -> Array:
    return 1 / np.sqrt(x)


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def softmax(x: Array) -> Array:
    raised = np.exp(x - x.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


def log_softmax(x: Array) -> Array:
    return np.log(softmax(x))


def mean_of_rows(x: Array) -> Array:
    return x.mean(0) if len(x) else np.full(x.shape[1:], np.nan, x.dtype)


def gradient(function: Callable[[Array], Array], x: Array) -> Array:
    """By differences; of a function whose result is a number."""
    x, step = np.asarray(x, np.float64), 1e-5
    result = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        moved = np.zeros_like(x)
        moved[index] = step
        result[index] = (function(x + moved) - function(x - moved)) / (2 * step)
    return result


def loop(times: int, body: Callable[[Array], Array], x: Array) -> Array:
    for _ in range(times):
        x = body(x)
    return x


def branch(condition: Array, then: Callable[[], Array], otherwise: Callable[[], Array]) -> Array:
    return then() if condition else otherwise()


def add_to(variable: Array, x: Array) -> Array:
    variable += x
    return variable


def read(variable: Array) -> Array:
    return variable


def multiply_in_place(x: Array, by: float) -> Array:
    return x * np.float32(by)


def put_row(x: Array, row: int, value: float) -> Array:
    copy = x.copy()
    copy[row] = value
    return copy


def in_thread(function: Callable[[], Array]) -> Array:
    return function()
