"""Origins go on through groups and windows: ragged batches, buckets by length, windows, groups, other batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.data_origins.dataset import TracedDataset, trace_data


def rows(data: Any) -> Any:
    return data.map(lambda n: tf.range(n, 2 * n + 1))


def lengths(row: Any) -> Any:
    return tf.shape(row)[0]


def both(n: Any, square: Any) -> Any:
    return tf.data.Dataset.zip((n.batch(3), square.batch(3)))


def shifted(n: Any, square: Any) -> Any:
    return tf.data.Dataset.zip((n.skip(1), square))


# The first number of each row of what comes first tells which element it is.
PIPELINES: dict[str, Callable[[Any], Any]] = {
    "ragged_batch": lambda data: rows(data).shuffle(9, seed=1).ragged_batch(4),
    "bucket_by_sequence_length": lambda data: rows(data).bucket_by_sequence_length(lengths, [4, 7], [2, 3, 2]),
    "window": lambda data: data.window(3, shift=2, drop_remainder=True).flat_map(lambda window: window.batch(3)),
    "window of tuples": lambda data: data.map(lambda n: (n, n * n)).window(4).flat_map(both).map(lambda n, _: n),
    "windows in turn": lambda data: data.window(2).interleave(lambda window: window.shuffle(2, seed=3)).batch(5),
    "group_by_window": lambda data: data.group_by_window(lambda n: n % 2, lambda _, group: group.batch(4), 4),
    "rebatch": lambda data: data.shuffle(9, seed=2).batch(4).rebatch([3, 1]),
    "ignore_errors": lambda data: (
        data.map(lambda n: tf.ensure_shape(n, []) + tf.cast(tf.debugging.check_numerics(1 / (n - 2), "") * 0, tf.int64))
        .ignore_errors()
        .batch(3)
    ),
    "scan": lambda data: data.scan(tf.constant(0, tf.int64), lambda state, n: (state + n, n + 0 * state)).batch(4),
}


def read(dataset: Any) -> list[Any]:
    return [each.to_list() if isinstance(each, tf.RaggedTensor) else np.asarray(each).tolist() for each in dataset]


@pytest.mark.parametrize("name", PIPELINES)
def test_each_row_has_its_element_and_the_elements_are_as_without(name: str) -> None:
    made = []
    for trace in (lambda data: data, trace_data):
        tf.random.set_seed(5)
        dataset = PIPELINES[name](trace(tf.data.Dataset.range(9)))
        made.append((dataset.element_spec, int(dataset.cardinality()), read(dataset)))
    assert made[0] == made[1]
    assert isinstance(dataset, TracedDataset)
    seen = 0
    for element, origins in dataset.pairs:
        firsts = [row[0] if isinstance(row, list) else row for row in read([element])[0]]
        assert [origin.decode() for origin in origins.numpy()] == [f"element {first}" for first in firsts]
        seen += len(firsts)
    assert seen >= 8


def test_the_parts_of_a_window_have_both_names_where_they_are_of_other_elements() -> None:
    pairs = trace_data(tf.data.Dataset.range(3)).map(lambda n: (n, n * n)).window(3).flat_map(shifted).pairs
    assert [origin.numpy() for _, origin in pairs] == [b"element 1 + element 0", b"element 2 + element 1"]


def test_functions_that_make_something_else_of_windows_get_what_they_get_without_origins() -> None:
    def total(window: Any) -> Any:
        return tf.data.Dataset.from_tensors(window.reduce(np.int64(0), lambda a, b: a + b))

    for data in (tf.data.Dataset.range(6), trace_data(tf.data.Dataset.range(6))):
        assert read(data.window(3).flat_map(total)) == [3, 12]
        assert read(data.window(3).interleave(total)) == [3, 12]
        assert read(data.group_by_window(lambda n: n % 2, lambda _, group: total(group), 3)) == [6, 9]
        assert [read(window) for window in data.window(4)] == [[0, 1, 2, 3], [4, 5]]


def test_what_resampling_makes_is_as_without_origins() -> None:
    made = []
    for data in (tf.data.Dataset.range(9), trace_data(tf.data.Dataset.range(9))):
        tf.random.set_seed(5)
        resampled = data.rejection_resample(lambda n: tf.cast(n > 4, tf.int32), [0.9, 0.1], seed=1)
        assert not isinstance(resampled, TracedDataset)
        made.append(read(resampled.map(lambda _, n: n)))
    assert made[0] == made[1]


def test_errors_of_the_program_are_its_own() -> None:
    def fails(_: Any) -> Any:
        raise ValueError("no window")

    with pytest.raises(ValueError, match="no window"):
        trace_data(tf.data.Dataset.range(6)).window(3).flat_map(fails)
