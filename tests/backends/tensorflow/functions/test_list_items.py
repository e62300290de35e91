"""Elements of lists are found by the name of the list, also where nothing beside the list shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow as tf

from tests.backends.tensorflow.recorded import shown


def test_elements_that_no_operation_beside_the_list_computes(tmp_path: Path) -> None:
    @tf.function
    def doubled(x: Any) -> Any:
        return x * 2.0

    @tf.function
    def run(n: Any, outside: Any) -> Any:
        rows = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        called, states, same = (tf.TensorArray(tf.float32, size=n) for _ in range(3))
        numbers = tf.TensorArray(tf.int32, size=n)
        state = 1.0
        for i in tf.range(n):
            total = 0
            for j in tf.range(i + 1):
                total += j * i
            rows = rows.write(i, total)
            called = called.write(i, doubled(tf.cast(i, tf.float32)))
            states = states.write(i, state)
            same = same.write(i, outside)
            numbers = numbers.write(i, 5)
            state *= 2.0
        return rows.stack(), called.stack(), states.stack(), same.stack(), numbers.stack()

    values = shown(tmp_path, lambda: run(tf.constant(4), tf.constant(9.0)))
    assert values("rows") == [0, 1, 6, 18]
    assert values("called") == [0, 2, 4, 6]
    assert values("states") == [1, 2, 4, 8]
    assert values("state") == [1, 2, 4, 8, 16]
    assert values("same") == [9, 9, 9, 9]
    assert values("numbers") == [5, 5, 5, 5]


def test_an_element_that_is_put_in_in_some_iterations_only(tmp_path: Path) -> None:
    @tf.function
    def run(n: Any) -> Any:
        kept = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            square = i * i
            if square > 3:
                kept = kept.write(kept.size(), square)
        return kept.stack()

    values = shown(tmp_path, lambda: run(tf.constant(4)))
    assert values("square") == [0, 1, 4, 9]
    assert values("kept") == [4, 9]
