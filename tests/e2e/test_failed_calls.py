"""Which element of a dataset it was that failed, where several are made at a time."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tests.e2e.test_failure_beginnings import answer_of


def test_of_a_damaged_file_in_a_parallel_map_its_name_is_told(tmp_path: Path) -> None:
    for k in range(9):
        encoded = tf.io.encode_png(tf.fill([2, 2, 1], tf.constant(k, tf.uint8))).numpy()
        (tmp_path / f"{k}.png").write_bytes(b"<html>gone</html>" if k == 6 else encoded)

    def program() -> None:
        def load(path: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            return tf.io.decode_png(tf.io.read_file(path)), label

        paths = [f"{tmp_path}/{k}.png" for k in range(9)]
        data = tf.data.Dataset.from_tensor_slices((paths, list(range(9))))
        for _ in data.shuffle(9, seed=1).map(load, num_parallel_calls=3).batch(2).prefetch(1):
            pass

    failure, _ = answer_of(program, tmp_path / "trace")
    (only,) = [each["explanation"] for each in failure["beginnings"] if each["what"] == "element"]
    assert "/6.png', label 6; several run at a time" in only
    assert "'<html>gone</html>'" in str(failure["inputs"])


class Behind:
    """Has the first of two elements wait for the second, so that the second fails first."""

    def __init__(self) -> None:
        self._second = threading.Event()

    def __call__(self, number: tf.Tensor) -> np.ndarray:
        if number:
            self._second.set()
        else:
            assert self._second.wait(100)
        return number


def test_of_two_damaged_files_in_a_parallel_map_none_is_said_to_be_the_one(tmp_path: Path) -> None:
    for k in range(2):
        (tmp_path / f"{k}.png").write_bytes(b"<html>gone</html>" + b"!" * k)

    def program() -> None:
        behind = Behind()

        def load(path: tf.Tensor, label: tf.Tensor) -> tf.Tensor:
            raw = tf.io.read_file(path)
            with tf.control_dependencies([tf.ensure_shape(tf.numpy_function(behind, [label], tf.int64), [])]):
                return tf.io.decode_png(tf.identity(raw))

        data = tf.data.Dataset.from_tensor_slices(([f"{tmp_path}/{k}.png" for k in range(2)], np.arange(2)))
        list(data.map(load, num_parallel_calls=2))

    failure, _ = answer_of(program, tmp_path / "trace")
    (only,) = [each["explanation"] for each in failure["beginnings"] if each["what"] == "element"]
    assert only.startswith("2 calls of load() gave nothing, and the error is of one of them; they were given path ")
    assert "/0.png', label 0" in only and "/1.png', label 1" in only
    (given,) = failure["inputs"]
    assert (given["dtype"], given["shape"], given["health"], given["elements"]) == ("string", [], None, None)


def test_of_two_calls_that_failed_it_is_that_whose_inputs_the_message_has(tmp_path: Path) -> None:
    def program() -> None:
        behind, table = Behind(), tf.ones([20])

        def cut(width: tf.Tensor, number: tf.Tensor) -> tf.Tensor:
            made = tf.sin(table)[:width]
            last = tf.ensure_shape(tf.numpy_function(behind, [number], tf.int64), [])
            return tf.reshape(made, [tf.cast(last, tf.int32) * 0 + 3, -1])

        data = tf.data.Dataset.from_tensor_slices(([10, 14], np.arange(2)))
        list(data.map(cut, num_parallel_calls=2))

    failure, _ = answer_of(program, tmp_path)
    told = [each["explanation"] for each in failure["beginnings"] if each["what"] == "element"]
    assert [each.partition(";")[0] for each in told] == ["this call of cut() was given width 10, number 0"]


@pytest.mark.parametrize("wrap", [tf.py_function, tf.numpy_function])
def test_of_parallel_calls_of_a_python_function_it_is_that_which_raised(wrap: Any, tmp_path: Path) -> None:
    def program() -> None:
        all_begun, ended = threading.Barrier(2), threading.Event()

        def look_up(number: Any, row: Any) -> Any:
            all_begun.wait(50)
            if number == 0:
                raise KeyError("not in the table")
            assert ended.wait(50)  # it gives nothing before the program has its error
            return np.float32(np.asarray(row).sum())

        def load(number: tf.Tensor) -> tf.Tensor:
            return wrap(look_up, [number, tf.fill([2], tf.cast(number, tf.float32))], tf.float32)

        try:
            list(tf.data.Dataset.range(2).map(load, num_parallel_calls=2))
        finally:
            ended.set()

    failure, _ = answer_of(program, tmp_path)
    told = [each["explanation"] for each in failure["beginnings"] if each["what"] == "element"]
    assert [each.partition(";")[0] for each in told] == ["this call of load() was given number 0"]
