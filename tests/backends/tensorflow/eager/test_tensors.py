"""The tensors in what eager operations take and give."""

from __future__ import annotations

import tensorflow as tf

from tensordbg.backends.tensorflow.eager.tensors import flat, input_count, results_of


def test_lists_of_tensors_are_taken_apart() -> None:
    x, y = tf.constant(1.0), tf.constant(2.0)
    assert [id(each) for each in flat([[x, y], x])] == [id(x), id(y), id(x)]
    assert flat([[1, 2], 3]) == [[1, 2], 3]


def test_results_of_any_form() -> None:
    x = tf.constant(1.0)
    assert [id(each) for each in results_of([[x], [], x])] == [id(x), id(x)]
    assert results_of(None) == []


def test_a_list_counts_as_one_input() -> None:
    assert (input_count("ConcatV2"), input_count("MatMul"), input_count("NoSuchOperation")) == (2, 2, 0)
