"""Functions given to tf.data run in threads of the runtime: they are recorded there, with the line that made them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tests.e2e.programs.checking import Program, check


def map_one_by_one() -> object:
    def logarithm(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(x)  # HERE

    return list(tf.data.Dataset.from_tensor_slices([1.0, 0.0, 4.0]).map(logarithm))


def map_in_parallel() -> object:
    def logarithm(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(x)  # HERE

    values = tf.range(40.0)
    return list(tf.data.Dataset.from_tensor_slices(values).map(logarithm, num_parallel_calls=4).batch(8).prefetch(2))


def map_over_batches() -> object:
    def share(x: tf.Tensor) -> tf.Tensor:
        return x / tf.reduce_sum(x, axis=-1, keepdims=True)  # HERE

    rows = tf.constant([[1.0, 3.0], [0.0, 0.0], [2.0, 2.0], [5.0, 5.0]])
    return list(tf.data.Dataset.from_tensor_slices(rows).batch(2, num_parallel_calls=2).map(share))


def filter_by_a_computed_number() -> object:
    def kept(x: tf.Tensor) -> tf.Tensor:
        return tf.math.rsqrt(x) > 0.4  # HERE

    return list(tf.data.Dataset.from_tensor_slices([4.0, 0.0, 9.0]).filter(kept))


def interleave_in_parallel() -> object:
    def files(x: tf.Tensor) -> tf.data.Dataset:
        return tf.data.Dataset.from_tensors(x).repeat(2).map(lambda y: 1.0 / y)  # HERE

    numbers = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
    return list(numbers.interleave(files, cycle_length=2, num_parallel_calls=2, deterministic=True))


def flat_map_scan_and_reduce() -> object:
    def add(total: tf.Tensor, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return total + x, total + x

    def product(total: tf.Tensor, x: tf.Tensor) -> tf.Tensor:
        return total * tf.exp(x * 100.0)  # HERE

    numbers = tf.data.Dataset.range(1, 4).flat_map(lambda x: tf.data.Dataset.from_tensors(tf.cast(x, tf.float32)))
    return numbers.scan(0.0, add).reduce(1.0, product)


def windows_and_groups() -> object:
    numbers = tf.data.Dataset.range(8).map(lambda x: tf.cast(x, tf.float32))
    windows = numbers.window(3, shift=2).flat_map(lambda window: window.batch(3))
    groups = numbers.group_by_window(lambda x: tf.cast(x, tf.int64) % 2, lambda _, group: group.batch(4), window_size=4)
    return list(windows), list(groups)


def a_generator_with_a_bad_row() -> object:
    def rows() -> Iterator[np.ndarray]:
        for number in range(4):
            yield np.array([1.0, number], np.float32)

    data = tf.data.Dataset.from_generator(rows, output_signature=tf.TensorSpec([2], tf.float32))
    return list(data.map(lambda row: tf.math.log(row)).batch(2))  # HERE


def an_iterator_in_a_loop_of_a_function() -> object:
    @tf.function
    def total(data: tf.data.Dataset) -> tf.Tensor:
        found = tf.constant(0.0)
        for x in data:
            found += tf.math.log(x)  # HERE
        return found

    return total(tf.data.Dataset.from_tensor_slices([2.0, 1.0, 0.0, 3.0]))


def an_iterator_given_to_a_function() -> object:
    @tf.function
    def step(iterator: Iterator[tf.Tensor]) -> tf.Tensor:
        return tf.sqrt(next(iterator))  # HERE

    iterator = iter(tf.data.Dataset.from_tensor_slices([4.0, -1.0]))
    return [step(iterator), step(iterator)]


def shuffled_with_a_seed() -> object:
    tf.random.set_seed(4)
    data = tf.data.Dataset.range(20).shuffle(8, seed=3).map(lambda x: tf.random.uniform([]) + tf.cast(x, tf.float32))
    return list(data.batch(4))


PROGRAMS: list[Program] = [
    map_one_by_one,
    map_in_parallel,
    map_over_batches,
    filter_by_a_computed_number,
    interleave_in_parallel,
    flat_map_scan_and_reduce,
    windows_and_groups,
    a_generator_with_a_bad_row,
    an_iterator_in_a_loop_of_a_function,
    an_iterator_given_to_a_function,
    shuffled_with_a_seed,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_same_bits_and_the_guilty_line(tmp_path: Path, program: Program) -> None:
    check(program, tmp_path)


def test_every_element_is_an_event_of_the_pipelines_function(tmp_path: Path) -> None:
    checked = check(map_in_parallel, tmp_path)
    logs = checked.named("Log")
    assert (len(logs), sum(event.row["neg_inf"] for event in logs)) == (40, 1)
    assert {event.execution for event in logs} == {-1}
    assert {checked.recorded.user_frames(event)[-1].function for event in logs} == {"logarithm"}


def test_a_loop_over_a_dataset_is_recorded_with_the_call_it_runs_in(tmp_path: Path) -> None:
    checked = check(an_iterator_in_a_loop_of_a_function, tmp_path)
    (call,) = [row["execution"] for row in checked.recorded.executions if row["function"] >= 0]
    assert [(event.execution, event.row["neg_inf"]) for event in checked.named("Log")] == [
        (call, 0),
        (call, 0),
        (call, 1),
        (call, 0),
    ]
