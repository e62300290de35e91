"""Tensors of every kind: ragged, sparse, composite, strings, scalars, empty, of high rank and of unknown shape."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tests.e2e.programs.checking import Program, check


def ragged() -> object:
    @tf.function
    def means(x: tf.RaggedTensor) -> tf.Tensor:
        sums = tf.reduce_sum(x, axis=1)
        return sums / tf.cast(x.row_lengths(), tf.float32)  # HERE

    return means(tf.ragged.constant([[1.0, 2.0], [], [3.0]]))


def ragged_eagerly() -> object:
    x = tf.ragged.constant([[1.0, 0.0], [4.0]])
    return tf.map_fn(tf.reduce_max, x, fn_output_signature=tf.float32), tf.math.log(x)  # HERE


def ragged_in_a_pipeline() -> object:
    data = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1.0], [], [2.0, 3.0]]))
    return [row.to_tensor() if isinstance(row, tf.RaggedTensor) else row for row in data.map(lambda row: row * 2.0)]


def sparse() -> object:
    @tf.function
    def product(x: tf.SparseTensor, y: tf.Tensor) -> tf.Tensor:
        scaled = x.with_values(tf.math.log(x.values))  # HERE
        return tf.sparse.sparse_dense_matmul(scaled, y)

    x = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    return product(x.with_values([0.0, 2.0]), tf.ones([2, 2]))


def sparse_gradient() -> object:
    table = tf.Variable([[1.0, 4.0], [0.0, 9.0], [5.0, 5.0]], name="table")

    @tf.function
    def step() -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sqrt(tf.gather(table, [1, 0])))
        gradient = tape.gradient(loss, table)  # HERE
        table.scatter_sub(tf.IndexedSlices(gradient.values * 0.1, gradient.indices))
        return table.read_value()

    return step()


class Pair(tf.experimental.ExtensionType):
    """A composite tensor of the program's own."""

    low: tf.Tensor
    high: tf.Tensor

    def width(self) -> tf.Tensor:
        return tf.math.log(self.high - self.low)


@tf.experimental.dispatch_for_api(tf.math.add, {"x": Pair, "y": Pair})
def add_pairs(x: Pair, y: Pair) -> Pair:
    return Pair(tf.add(x.low, y.low), tf.add(x.high, y.high))


def extension_type() -> object:
    @tf.function
    def sum_of_pairs(x: Pair, y: Pair) -> tf.Tensor:
        return 1.0 / tf.math.add(x, y).width()  # HERE

    one, two = Pair(tf.constant([0.0]), tf.constant([0.5])), Pair(tf.constant([0.5]), tf.constant([1.0]))
    return sum_of_pairs(one, two)


def strings_and_numbers() -> object:
    name, count = tf.Variable("a"), tf.Variable(0, dtype=tf.int64)

    @tf.function
    def step(text: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        words = tf.strings.split(tf.strings.join([text, name], " ")).to_tensor()
        name.assign(tf.strings.as_string(count.assign_add(1)))
        numbers = tf.strings.to_number(tf.strings.regex_replace(text, "[a-z ]", ""))
        return words, tf.strings.length(text), 1.0 / numbers  # HERE

    return [step(tf.constant(text)) for text in (["x 2"], ["y 0"])], name.read_value(), count.read_value()


def scalars_empty_and_high_rank() -> object:
    @tf.function
    def program(x: tf.Tensor) -> list[tf.Tensor]:
        empty = tf.zeros([0, 3]) / 2.0
        deep = tf.reshape(x, [1] * 20 + [2])
        higher = tf.reshape(x, [1] * 24 + [2])
        return [empty, tf.reduce_mean(deep), tf.math.sqrt(deep + 1.0), higher, tf.reduce_sum(empty), x[0]]

    return program(tf.constant([1.0, 2.0]))


def unknown_shapes() -> object:
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32), tf.TensorSpec([None, 2], tf.float32)])
    def program(x: tf.Tensor, y: tf.Tensor) -> list[tf.Tensor]:
        kept = tf.boolean_mask(y, tf.reduce_sum(y, -1) > 0.0)
        return [tf.math.log(x), kept, tf.unique(tf.reshape(y, [-1]))[0], tf.where(y > 0.0)]  # HERE

    pairs = tf.constant([[1.0, 2.0], [0.0, 0.0]])
    return program(tf.constant(1.0), pairs), program(tf.constant([[0.0]]), pairs[:1])


def every_number_type() -> object:
    @tf.function
    def program(x: tf.Tensor) -> list[tf.Tensor]:
        names = "float16 bfloat16 float64 int8 uint8 int16 uint16 int32 uint32 int64 uint64 bool complex64 complex128"
        return [tf.reverse(tf.cast(x, name), [0]) for name in names.split()]

    return program(tf.constant([0.0, 1.0, 3.0]))


def complex_numbers() -> object:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        spectrum = tf.signal.fft(tf.cast(x, tf.complex64))
        return tf.signal.ifft(1.0 / spectrum)  # HERE

    return program(tf.constant([1.0, 1.0, 1.0, 1.0]))


def half_precision_overflow() -> object:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        half = tf.cast(x, tf.float16)
        return tf.reduce_sum(half * half)  # HERE

    return program(tf.constant([300.0]))


def quantised() -> object:
    @tf.function
    def program(x: tf.Tensor) -> tuple[tf.Tensor, ...]:
        codes = tf.quantization.quantize(x, -1.0, 1.0, tf.qint8)
        return tf.quantization.dequantize(codes.output, codes.output_min, codes.output_max), codes.output_min

    return program(tf.constant([0.25, -0.5]))


def big_constants_and_slices() -> object:
    @tf.function
    def program() -> list[tf.Tensor]:
        table = tf.constant(np.arange(40, dtype=np.float32).reshape(8, 5))
        grid = tf.meshgrid(tf.range(3.0), tf.range(2.0))
        product = tf.einsum("ij,kj->ik", table, table)
        return [table[2:6:2, ::-1], tf.tensor_scatter_nd_update(table, [[0, 0]], [5.0]), product, *grid]

    return program()


PROGRAMS: list[Program] = [
    ragged,
    ragged_eagerly,
    ragged_in_a_pipeline,
    sparse,
    sparse_gradient,
    extension_type,
    strings_and_numbers,
    scalars_empty_and_high_rank,
    unknown_shapes,
    every_number_type,
    complex_numbers,
    half_precision_overflow,
    quantised,
    big_constants_and_slices,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_same_bits_and_the_guilty_line(tmp_path: Path, program: Program) -> None:
    check(program, tmp_path)


def test_shapes_of_every_rank_are_recorded(tmp_path: Path) -> None:
    checked = check(scalars_empty_and_high_rank, tmp_path)
    shapes = {event.shape for event in checked.recorded.events}
    assert {"[]", "[0, 3]", str([1] * 20 + [2])} <= shapes
    # The last of the dimensions that are kept stands for the rest.
    assert str([1] * 21 + [2]) in shapes
    empty = next(event for event in checked.recorded.events if event.shape == "[0, 3]")
    assert (empty.row["size"], empty.row["first_bad"]) == (0, -1)
