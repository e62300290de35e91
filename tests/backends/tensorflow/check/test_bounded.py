"""What needs no check makes nothing bad, and what is not sure to be good is checked."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.check import bounded as check_bounded
from tensordbg.backends.tensorflow.check import tables as check_tables
from tensordbg.backends.tensorflow.functions import definition as fd
from tests.backends.tensorflow.checked import blamed, checking

Apply = Callable[[tf.Tensor], tf.Tensor]

APPLIED: dict[str, Apply] = {
    "Abs": lambda x: tf.raw_ops.Abs(x=x),
    "BroadcastTo": lambda x: tf.raw_ops.BroadcastTo(input=x, shape=[2, *x.shape]),
    "Ceil": lambda x: tf.raw_ops.Ceil(x=x),
    "ClipByValue": lambda x: tf.raw_ops.ClipByValue(
        t=x, clip_value_min=tf.cast(-1, x.dtype), clip_value_max=tf.cast(1, x.dtype)
    ),
    "Erfc": lambda x: tf.raw_ops.Erfc(x=x),
    "Floor": lambda x: tf.raw_ops.Floor(x=x),
    "GatherV2": lambda x: tf.raw_ops.GatherV2(params=x, indices=[1, 0], axis=0),
    "MirrorPad": lambda x: tf.raw_ops.MirrorPad(input=x, paddings=[[1, 1]], mode="REFLECT"),
    "Neg": lambda x: tf.raw_ops.Neg(x=x),
    "OnesLike": lambda x: tf.raw_ops.OnesLike(x=x),
    "Pack": lambda x: tf.raw_ops.Pack(values=[x, x]),
    "Pad": lambda x: tf.raw_ops.Pad(input=x, paddings=[[1, 1]]),
    "Relu": lambda x: tf.raw_ops.Relu(features=x),
    "Relu6": lambda x: tf.raw_ops.Relu6(features=x),
    "ReverseV2": lambda x: tf.raw_ops.ReverseV2(tensor=x, axis=[0]),
    "Rint": lambda x: tf.raw_ops.Rint(x=x),
    "Roll": lambda x: tf.raw_ops.Roll(input=x, shift=[1], axis=[0]),
    "Round": lambda x: tf.raw_ops.Round(x=x),
    "Select": lambda x: tf.raw_ops.Select(condition=x > 0, x=x, y=x),
    "SelectV2": lambda x: tf.raw_ops.SelectV2(condition=x > 0, t=x, e=x),
    "Sigmoid": lambda x: tf.raw_ops.Sigmoid(x=x),
    "Sign": lambda x: tf.raw_ops.Sign(x=x),
    "Split": lambda x: tf.raw_ops.Split(axis=0, value=x, num_split=1)[0],
    "SplitV": lambda x: tf.raw_ops.SplitV(value=x, size_splits=[1, x.shape[0] - 1], axis=0, num_split=2)[1],
    "Tanh": lambda x: tf.raw_ops.Tanh(x=x),
    "Tile": lambda x: tf.raw_ops.Tile(input=x, multiples=[2]),
    "ZerosLike": lambda x: tf.raw_ops.ZerosLike(x=x),
}


def test_each_of_the_table_is_tried() -> None:
    assert set(APPLIED) == check_tables.BOUNDED


def _extremes(dtype: tf.DType) -> tf.Tensor:
    """All orders of magnitude that a dtype has, of both signs, and its zeros: many, for the vector code of kernels."""
    exponents = np.arange(-1100.0, 1100.0, 0.5)
    with np.errstate(all="ignore"):
        magnitudes = tf.cast(tf.constant(np.exp2(exponents)), dtype)
    values = tf.concat([magnitudes, tf.cast(tf.constant([float(dtype.max), 0.0], tf.float64), dtype)], 0)
    values = tf.concat([values, -values], 0)
    return values[tf.math.is_finite(values)]


DTYPES = (tf.float16, tf.bfloat16, tf.float32, tf.float64)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(dtype.name))
@pytest.mark.parametrize("op_type", sorted(APPLIED))
def test_nothing_bad_comes_of_finite_numbers_and_no_nan_of_an_infinity(op_type: str, dtype: tf.DType) -> None:
    finite = _extremes(dtype)
    try:
        result = APPLIED[op_type](finite)
    except tf.errors.NotFoundError:
        pytest.skip("TensorFlow has no such kernel")
    assert bool(tf.reduce_all(tf.math.is_finite(result)))
    infinite = tf.concat([finite, tf.cast([np.inf, -np.inf], dtype)], 0)
    assert not bool(tf.reduce_any(tf.math.is_nan(APPLIED[op_type](infinite))))


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(dtype.name))
def test_a_constant_no_larger_than_one_makes_nothing_bad(dtype: tf.DType) -> None:
    finite = tf.concat([_extremes(dtype), tf.cast([np.inf], dtype)], 0)
    bad = ~tf.math.is_finite(finite)
    for factor, sign in itertools.product((1.0, 0.999, 0.5, 1e-3), (1, -1)):
        for result in (finite * tf.cast(sign * factor, dtype), finite / tf.cast(sign / factor, dtype)):
            assert np.array_equal(~tf.math.is_finite(result), bad), factor
            assert not bool(tf.reduce_any(tf.math.is_nan(result)))


def _checked(function: Callable[..., tf.Tensor], *shapes: tuple[int, ...]) -> set[str]:
    """The types of the operations of a function that need a look."""
    specs = [tf.TensorSpec(shape) for shape in shapes or [(4,)]]
    definition = tf.function(function).get_concrete_function(*specs).function_def
    known = {argument.name: argument.type for argument in definition.signature.input_arg}
    bounded, found = check_bounded.BoundedOperations(known), set()
    for node in definition.node_def:
        known.update((output.tensor, output.dtype) for output in fd.outputs(node))
        wanted = any(output.dtype in dtypes.FLOATS for output in fd.outputs(node))
        needed = wanted and node.op not in check_tables.UNCHECKED and not bounded.needs_no_look(node)
        bounded.learn(node)
        found |= {node.op} if needed else set()
    return found


@pytest.mark.parametrize(
    ("function", "checked"),
    [
        (lambda x: -x, {"Neg"}),
        (lambda x: -tf.exp(x), {"Exp"}),
        (lambda x: tf.tanh(tf.reshape(tf.exp(x), [2, 2])), {"Exp"}),
        (lambda x: tf.tanh(tf.reshape(x, [2, 2])), {"Tanh"}),
        (lambda x: tf.exp(x) * 0.9, {"Exp"}),
        (lambda x: 0.9 * -tf.exp(x), {"Exp"}),
        (lambda x: x * 0.9, {"Mul"}),
        (lambda x: tf.exp(x) * 1.5, {"Exp", "Mul"}),
        (lambda x: tf.exp(x) * 0.0, {"Exp", "Mul"}),
        (lambda x: tf.exp(x) * tf.constant([0.5, 0.5, 0.5, 2.0]), {"Exp", "Mul"}),
        (lambda x: tf.exp(x) * tf.constant(np.inf), {"Exp", "Const", "Mul"}),
        (lambda x: tf.exp(x) / 2.0, {"Exp"}),
        (lambda x: tf.exp(x) / 0.5, {"Exp", "RealDiv"}),
        (lambda x: 0.5 / tf.exp(x), {"Exp", "RealDiv"}),
        (lambda x: tf.where(x > 0, tf.exp(x), tf.exp(-x)), {"Neg", "Exp"}),
        (lambda x: tf.where(x > 0, tf.exp(x), x), {"Exp", "SelectV2"}),
    ],
)
def test_what_is_looked_at(function: Callable[..., tf.Tensor], checked: set[str]) -> None:
    assert _checked(function) == checked


def test_what_comes_from_outside_is_found_where_it_is_first_used() -> None:
    bad = tf.constant([1.0, np.nan])

    @tf.function
    def loop(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(3):
            x = -x
        return x

    with checking():
        assert blamed(tf.function(lambda x: tf.exp(-x)), bad) == {("Neg", "Neg", None)}
        assert blamed(loop, bad) == {("Neg", "while/Neg", 0)}


def test_the_statistics_of_a_normalization_are_not_taken_for_checked() -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        _, mean, *_ = tf.raw_ops.FusedBatchNormV3(
            x=x, scale=[1.0], offset=[0.0], mean=[], variance=[], is_training=True
        )[:3]
        return -mean

    empty = tf.zeros([0, 2, 2, 1])
    with checking():
        assert blamed(program, empty) == {("Neg", "Neg", None)}
