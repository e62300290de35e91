"""The inputs of an operation that failed are those that it was given, by the names of the program's text."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf

from tests.e2e.test_failure_beginnings import answer_of


def test_the_call_of_a_datasets_function_that_failed_though_the_next_ran_already(tmp_path: Path) -> None:
    numbers, table = tf.data.Dataset.range(6), tf.constant([1.0, 2.0, 4.0, 8.0])

    @tf.function
    def walk() -> tf.Tensor:
        total = tf.constant(1.0)
        for number in numbers:
            total = total * tf.gather(table, number)
        return total

    failure, _ = answer_of(walk, tmp_path)
    assert failure["op_type"] == "GatherV2"
    given = failure["inputs"][1]
    assert (given["tensor"], given["dtype"], given["health"]["max"]) == ("number", "int64", 4)
