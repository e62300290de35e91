"""Names of origins are joined side by side and divided into rows, also where their numbers are not known yet."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.data_origins.names import for_rows, joined, together


def texts(tensor: Any) -> Any:
    found = tensor.numpy()
    return found.decode() if isinstance(found, bytes) else [each.decode() for each in found]


@pytest.mark.parametrize(
    ("origins", "wanted"),
    [
        ([tf.constant("a")], "a"),
        ([tf.constant("a"), tf.constant("b")], "a + b"),
        ([tf.constant(["a", "b"]), tf.constant("c")], ["a + c", "b + c"]),
        ([tf.constant(["a", "b"]), tf.constant(["c", "d"])], ["a + c", "b + d"]),
        ([tf.constant(["a", "b"]), tf.constant(["c", "d", "e"])], ["a, b + c, d, e"]),
    ],
)
def test_sides_are_named_row_by_row_where_they_have_as_many(origins: list[Any], wanted: Any) -> None:
    assert texts(together(origins)) == wanted
    unknown = [tf.TensorSpec([None] * origin.shape.rank, tf.string) for origin in origins]
    late = tf.function(lambda *given: together(given), input_signature=unknown)
    assert texts(late(*origins)) == wanted


def test_rows_are_counted_where_they_are_not_the_named_ones() -> None:
    element = tf.zeros([2, 3])
    assert texts(for_rows(tf.constant("a"), element)) == ["a row 0", "a row 1"]
    assert texts(for_rows(tf.constant(["a", "b"]), element)) == ["a", "b"]
    assert texts(for_rows(tf.constant(["a", "b", "c"]), element)) == ["a, b, c row 0", "a, b, c row 1"]


def test_one_name_for_a_batch_has_those_of_all_rows() -> None:
    assert texts(joined(tf.constant("a"))) == "a"
    assert texts(joined(tf.constant(["a", "b"]))) == "a, b"
