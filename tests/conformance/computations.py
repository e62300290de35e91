"""The list of small computations that every backend records, and what must be named of each.

What is marked is the line that makes something not finite, or else the result. What a framework can't express is said
with the reason.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conformance.computation import computation

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.5]], np.float32)
POSITIVE = np.abs(X)
SQUARE = np.array([[2.0, 1.0], [0.5, 3.0]], np.float32)
HUGE = np.array([3e38, 1.0], np.float32)
INF = float("inf")
FLOATS = ("float16", "bfloat16", "float32", "float64")
NO_IN_PLACE = dict.fromkeys(("tensorflow", "tensorflow-function"), "a tensor can't be changed; variables can")
NO_SINGULAR = dict.fromkeys(("tensorflow", "tensorflow-function", "torch", "torch-uncompiled"), "raises an error")
NO_THREADS = {"tensorflow-function": "a function's body is traced in one thread"}


# One of each kind


@computation(X, X * 2)
def adding(w: Any, x: Any, y: Any) -> Any:
    return w.add(x, y)


@computation(X, POSITIVE)
def dividing(w: Any, x: Any, y: Any) -> Any:
    return w.divide(x, y)


@computation(X)
def exponential(w: Any, x: Any) -> Any:
    return w.exp(x)


@computation(POSITIVE)
def logarithm(w: Any, x: Any) -> Any:
    return w.log(x)


@computation(POSITIVE)
def root(w: Any, x: Any) -> Any:
    return w.rsqrt(x)


@computation(POSITIVE)
def raising(w: Any, x: Any) -> Any:
    return w.power(x, 1.5)


@computation(X, X.T.copy())
def contraction(w: Any, x: Any, y: Any) -> Any:
    return w.matmul(x, y)


@computation(X)
def summing(w: Any, x: Any) -> Any:
    return w.total(x)


@computation(X)
def averaging(w: Any, x: Any) -> Any:
    return w.mean_of_rows(x)


@computation(X)
def multiplying_all(w: Any, x: Any) -> Any:
    return w.product(x)


@computation(X)
def rectifying(w: Any, x: Any) -> Any:
    return w.relu(x)


@computation(X)
def squashing(w: Any, x: Any) -> Any:
    return w.tanh(w.sigmoid(x))


@computation(X)
def normalising(w: Any, x: Any) -> Any:
    return w.softmax(x)


@computation(X)
def normalised_logarithm(w: Any, x: Any) -> Any:
    return w.log_softmax(x)


@computation(X)
def choosing(w: Any, x: Any) -> Any:
    return w.where(x > 0, x, x * 0.1)


@computation(X)
def bounding(w: Any, x: Any) -> Any:
    return w.minimum(w.maximum(x, 0.0), 3.0)


@computation(SQUARE, takes_nan=False)
def inverting(w: Any, x: Any) -> Any:
    return w.inverse(x)


@computation(X, X)
def joining(w: Any, x: Any, y: Any) -> Any:
    return w.concat([x, y]) * 2.0


@computation(X)
def gathering(w: Any, x: Any) -> Any:
    return w.exp(w.gather(w.transpose(x), [2, 0]))


# Types, shapes


@computation(X, dtypes=(*FLOATS, "complex64", "complex128", "int8", "int32", "int64"))
def adding_of_type(w: Any, x: Any) -> Any:
    return w.add(x, x)


@computation(np.array([True, False, True]), np.array([True, True, False]))
def both(w: Any, x: Any, y: Any) -> Any:
    return w.logical_and(x, y)


@computation(np.float32(2.5))
def of_one_number(w: Any, x: Any) -> Any:
    return w.exp(x)


@computation(np.zeros((0, 3), np.float32))
def of_nothing(w: Any, x: Any) -> Any:
    return w.exp(x)


@computation(np.zeros((0, 3), np.float32))
def sum_of_nothing(w: Any, x: Any) -> Any:
    return w.total(x)


@computation(np.full((3, 4), 1e-42, np.float32))
def subnormal(w: Any, x: Any) -> Any:
    return w.add(x, 1.0)


# Views, in place, variables, loops, branches, threads, gradients


@computation(X)
def of_a_slice(w: Any, x: Any) -> Any:
    return w.square(x[1:, :2])


@computation(X)
def of_a_transposed_reshaped(w: Any, x: Any) -> Any:
    return w.square(w.reshape(w.transpose(x), (2, 3)))


@computation(X, cannot=NO_IN_PLACE)
def in_place(w: Any, x: Any) -> Any:
    return w.multiply_in_place(x, 3.0)


@computation(X, cannot=NO_IN_PLACE)
def through_a_view(w: Any, x: Any) -> Any:
    return w.square(w.put_row(x, 0, 7.0))


@computation(X, X, variables=1)
def update(w: Any, variable: Any, x: Any) -> Any:
    w.add_to(variable, x * 2.0)
    return w.square(w.read(variable))


@computation(X)
def turns(w: Any, x: Any) -> Any:
    return w.loop(3, lambda y: w.tanh(y) * 2.0, x)


@computation(X)
def branching(w: Any, x: Any) -> Any:
    return w.branch(w.total(x) > 100.0, lambda: w.exp(x), lambda: w.tanh(x))


@computation(X, cannot=NO_THREADS)
def elsewhere(w: Any, x: Any) -> Any:
    return w.in_thread(lambda: w.exp(x))


@computation(X)
def slope(w: Any, x: Any) -> Any:
    return w.gradient(lambda y: w.total(w.square(w.tanh(y))), x)


@computation(X, X.T.copy())
def slope_of_a_contraction(w: Any, x: Any, y: Any) -> Any:
    return w.gradient(lambda z: w.total(w.square(w.matmul(z, y))), x)


# What goes wrong, and why


@computation([0.0, 1.0], cause="log_of_zero")
def log_of_zero(w: Any, x: Any) -> Any:
    y = w.log(x)  # here
    return y * 2.0


@computation([-1.0, 1.0], cause="log_of_negative")
def log_of_negative(w: Any, x: Any) -> Any:
    return w.log(x)


@computation([[0.0, 200.0]], cause="log_of_zero")
def log_of_a_softmax(w: Any, x: Any) -> Any:
    p = w.softmax(x)
    return w.log(p)


@computation([1.0, 0.0], [0.0, 0.0], cause="division_by_zero")
def division_by_zero(w: Any, x: Any, y: Any) -> Any:
    return w.divide(x, y)


@computation([0.0, 4.0], cause="division_by_zero")
def root_of_zero_below(w: Any, x: Any) -> Any:
    return w.rsqrt(x)


@computation([-4.0, 4.0], cause="root_of_negative")
def root_of_negative(w: Any, x: Any) -> Any:
    return w.sqrt(x)


@computation([-8.0, 8.0], cause="pow_domain")
def power_of_negative(w: Any, x: Any) -> Any:
    return w.power(x, 0.3)


@computation([2.0, 0.5], cause="function_domain")
def outside_of_the_domain(w: Any, x: Any) -> Any:
    return w.arccos(x)


@computation([100.0, 1.0], cause="exp_overflow")
def exponential_overflow(w: Any, x: Any) -> Any:
    return w.exp(x)


@computation(HUGE, cause="arithmetic_overflow")
def product_overflow(w: Any, x: Any) -> Any:
    return w.multiply(x, x)


@computation([300.0, 1.0], dtypes=("float16",), cause="half_precision_overflow")
def half_overflow(w: Any, x: Any) -> Any:
    return w.multiply(x, x)


@computation([1e6, 1.0], cause="cast_overflow")
def cast_overflow(w: Any, x: Any) -> Any:
    return w.cast(x, "float16")


@computation(np.zeros((0, 3), np.float32), cause="reduction_of_nothing")
def mean_of_nothing(w: Any, x: Any) -> Any:
    return w.mean_of_rows(x)


@computation([[0.0, 0.0], [0.0, 0.0]], cause="singular_matrix", cannot=NO_SINGULAR)
def singular(w: Any, x: Any) -> Any:
    return w.inverse(x)


@computation([0.0, 4.0], cause="infinite_gradient", expected=np.array([INF, 0.25], np.float32))
def slope_of_a_root(w: Any, x: Any) -> Any:
    return w.gradient(lambda y: w.total(w.sqrt(y)), x)


@computation([0.0, 1.0], cause="log_of_zero")
def in_a_loop(w: Any, x: Any) -> Any:
    return w.loop(1, lambda y: w.log(y), x)


@computation([0.0, 1.0], cause="log_of_zero")
def in_a_branch(w: Any, x: Any) -> Any:
    return w.branch(w.total(x) < 100.0, lambda: w.log(x), lambda: w.tanh(x))


@computation([0.0, 1.0], cause="log_of_zero", cannot=NO_THREADS)
def in_a_thread(w: Any, x: Any) -> Any:
    return w.in_thread(lambda: w.log(x))


@computation([0.0, 4.0], cause="log_of_zero")
def of_a_view(w: Any, x: Any) -> Any:
    return w.log(w.reshape(x[:1], (1, 1)))
