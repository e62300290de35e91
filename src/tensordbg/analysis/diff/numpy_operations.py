"""Operations as NumPy computes them in float64, by their kind and their settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.diff.numpy_windows import average_pool, batch_norm, convolution, max_pool
from tensordbg.operations.kinds import Kind

Array = npt.NDArray[Any]
Settings = Mapping[str, Any]
Computation = Callable[[Sequence[Array], Settings], Array]


class NotKnownError(Exception):
    """The operation is none of those that are known, or is given something that they do not take."""


def compute(kind: Kind, given: Sequence[Array], settings: Settings) -> Array:
    """Computes an operation.

    Args:
        kind: What it computes.
        given: Its inputs.
        settings: Its attributes, by their common names.

    Raises:
        NotKnownError: If it is not known how.
    """
    if kind not in _COMPUTATIONS:
        raise NotKnownError
    with np.errstate(all="ignore"):
        try:
            return np.asarray(_COMPUTATIONS[kind]([_wide(each) for each in given], settings))
        except (ArithmeticError, IndexError, KeyError, TypeError, ValueError) as error:
            raise NotKnownError from error


def _wide(array: Array) -> Array:
    return array.astype(np.float64) if array.dtype.kind not in "biuc" else array


def _of_one(function: Callable[[Array], Any]) -> Computation:
    def computation(given: Sequence[Array], _: Settings) -> Array:
        (x,) = given
        return np.asarray(function(x))

    return computation


def _of_two(function: Callable[[Array, Array], Any]) -> Computation:
    def computation(given: Sequence[Array], settings: Settings) -> Array:
        x, y = given
        if settings.get("rounding_mode"):
            raise NotKnownError
        return np.asarray(function(x, y * settings["alpha"] if "alpha" in settings else y))

    return computation


def _reduction(function: Callable[..., Any]) -> Computation:
    def computation(given: Sequence[Array], settings: Settings) -> Array:
        x, *others = given
        axis = [int(each) for each in np.ravel(others[0])] if others else settings.get("axis")
        axes = tuple(axis) if isinstance(axis, list) and axis else None if axis == [] else axis
        return np.asarray(function(x, axis=axes, keepdims=bool(settings.get("keep_dims", False))))

    return computation


def _matmul(given: Sequence[Array], settings: Settings) -> Array:
    *added, x, y = given
    x = np.swapaxes(x, -1, -2) if settings.get("transpose_a") or settings.get("adj_x") else x
    y = np.swapaxes(y, -1, -2) if settings.get("transpose_b") or settings.get("adj_y") else y
    product = np.matmul(x, y) * settings.get("alpha", 1)
    if len(added) > 1:
        raise NotKnownError
    return np.asarray(product + added[0] * settings.get("beta", 1) if added else product)


def _softmax(given: Sequence[Array], settings: Settings) -> Array:
    return np.exp(_log_softmax(given, settings))


def _log_softmax(given: Sequence[Array], settings: Settings) -> Array:
    (x,), axis = given, settings["axis"]
    x = x - x.max(axis=axis, keepdims=True)
    return np.asarray(x - np.log(np.exp(x).sum(axis=axis, keepdims=True)))


def _known(function: Callable[[Sequence[Array], Settings], Array | None]) -> Computation:
    def computation(given: Sequence[Array], settings: Settings) -> Array:
        found = function(given, settings)
        if found is None:
            raise NotKnownError
        return found

    return computation


def _normalise(given: Sequence[Array], settings: Settings) -> Array:
    return _known(batch_norm)(given, settings) if "training" in settings else _layer_norm(given, settings)


def _layer_norm(given: Sequence[Array], settings: Settings) -> Array:
    x, *affine = given
    axes = tuple(range(x.ndim - len(settings["normalized_shape"]), x.ndim))
    mean, variance = x.mean(axis=axes, keepdims=True), x.var(axis=axes, keepdims=True)
    result = (x - mean) / np.sqrt(variance + settings["epsilon"])
    result = result * affine[0] if affine else result
    return np.asarray(result + affine[1] if len(affine) > 1 else result)


def _clip(given: Sequence[Array], settings: Settings) -> Array:
    x, *ends = given
    low, high = ends or (settings.get("min"), settings.get("max"))
    return np.asarray(np.clip(x, low, high))


def _gelu(given: Sequence[Array], settings: Settings) -> Array:
    (x,) = given
    if settings.get("approximate") in (True, "tanh"):
        return np.asarray(0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))
    return np.asarray(0.5 * x * (1 + _erf(x / math.sqrt(2))))


def _leaky_relu(given: Sequence[Array], settings: Settings) -> Array:
    (x,) = given
    return np.where(x > 0, x, x * settings["slope"])


def _select(given: Sequence[Array], _: Settings) -> Array:
    condition, x, y = given
    return np.where(condition, x, y)


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


_erf = np.vectorize(math.erf, otypes=[np.float64])

_COMPUTATIONS: Mapping[Kind, Computation] = MappingProxyType(
    {
        Kind.ADD: _of_two(np.add),
        Kind.ADD_BIAS: _of_two(np.add),
        Kind.SUBTRACT: _of_two(np.subtract),
        Kind.MULTIPLY: _of_two(np.multiply),
        Kind.DIVIDE: _of_two(np.divide),
        Kind.POWER: _of_two(np.power),
        Kind.MAXIMUM: _of_two(np.maximum),
        Kind.MINIMUM: _of_two(np.minimum),
        Kind.SQUARED_DIFFERENCE: _of_two(lambda x, y: (x - y) ** 2),
        Kind.RECIPROCAL: _of_one(np.reciprocal),
        Kind.NEGATE: _of_one(np.negative),
        Kind.ABSOLUTE: _of_one(np.abs),
        Kind.SIGN: _of_one(np.sign),
        Kind.SQUARE: _of_one(np.square),
        Kind.SQRT: _of_one(np.sqrt),
        Kind.RSQRT: _of_one(lambda x: 1 / np.sqrt(x)),
        Kind.EXP: _of_one(np.exp),
        Kind.LOG: _of_one(np.log),
        Kind.LOG1P: _of_one(np.log1p),
        Kind.RELU: _of_one(lambda x: np.maximum(x, 0)),
        Kind.RELU6: _of_one(lambda x: np.clip(x, 0, 6)),
        Kind.SOFTSIGN: _of_one(lambda x: x / (1 + np.abs(x))),
        Kind.SIGMOID: _of_one(_sigmoid),
        Kind.TANH: _of_one(np.tanh),
        Kind.ERF: _of_one(_erf),
        Kind.ERFC: _of_one(lambda x: 1 - _erf(x)),
        Kind.SUM: _reduction(np.sum),
        Kind.MEAN: _reduction(np.mean),
        Kind.PRODUCT: _reduction(np.prod),
        Kind.MAX: _reduction(np.max),
        Kind.MIN: _reduction(np.min),
        Kind.MATMUL: _matmul,
        Kind.SOFTMAX: _softmax,
        Kind.LOG_SOFTMAX: _log_softmax,
        Kind.NORMALISE: _normalise,
        Kind.CONVOLUTION: _known(convolution),
        Kind.MAX_POOL: _known(max_pool),
        Kind.AVERAGE_POOL: _known(average_pool),
        Kind.CLIP: _clip,
        Kind.GELU: _gelu,
        Kind.LEAKY_RELU: _leaky_relu,
        Kind.SELECT: _select,
    }
)
