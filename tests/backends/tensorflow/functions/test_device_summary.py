"""Tensors reduced where they lie: forced on the CPU, the counts are those of our own probe."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.functions import device_summary
from tests.backends.tensorflow.recorded import Event, Recorded, record

COUNTS = ("size", "negative", "zero", "positive", "neg_inf", "pos_inf", "nan")

Program = Callable[[], object]


def trained() -> object:
    weight = tf.Variable([4.0, 0.0, -1.0])

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sqrt(weight) * tf.math.log(x))
        weight.assign_sub(tape.gradient(loss, weight))
        return loss

    return [step(tf.constant(x)) for x in ([1.0, 2.0, 3.0], [0.0, 1.0, -1.0])]


def loops_branches_and_calls() -> object:
    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        return tf.cond(x[0] > 4.0, lambda: tf.math.log(x - 5.0), lambda: x * 2.0)

    @tf.function
    def outer(x: tf.Tensor) -> tf.Tensor:
        for i in tf.range(3):
            x = inner(x) + tf.cast(i, tf.float32)
            for _ in tf.range(2):
                x = tf.exp(x) / tf.exp(x) * x
        return x

    return outer(tf.constant([1.0, 2.0]))


def every_type() -> object:
    @tf.function
    def program(x: tf.Tensor) -> list[tf.Tensor]:
        names = ["float16", "bfloat16", "float32", "float64", "int32", "bool", "complex64", "uint8"]
        return [tf.reverse(tf.cast(x, name), [0]) for name in names] + [tf.strings.as_string(x), x[:0]]

    return program(tf.constant([0.0, 1.0, 3.0]))


def in_a_pipeline() -> object:
    return list(tf.data.Dataset.from_tensor_slices([1.0, 0.0]).map(lambda x: tf.math.log(x)))


def both_ways(program: Program, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Event], list[Event]]:
    """The events of functions, reduced as on a GPU and as on the CPU."""
    with monkeypatch.context() as patched:
        patched.setattr(device_summary, "accelerator_is_visible", lambda: True)
        reduced = record(folder / "reduced", program)
    plain = record(folder / "plain", program)
    return in_functions(reduced), in_functions(plain)


def in_functions(recorded: Recorded) -> list[Event]:
    return [event for event in recorded.events if recorded.site_of(event).function >= 0]


@pytest.mark.parametrize("program", [trained, loops_branches_and_calls, in_a_pipeline])
def test_the_counts_are_those_of_our_own_probe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program
) -> None:
    reduced, plain = both_ways(program, tmp_path, monkeypatch)
    floats = [event for event in plain if event.dtype.startswith("float")]
    counted = [event for event in reduced if event.dtype.startswith("float")]
    assert len(floats) > 1
    for event, expected in zip(sorted(counted, key=order), sorted(floats, key=order), strict=True):
        assert [event.row[name] for name in COUNTS] == [expected.row[name] for name in COUNTS], event.name
        assert (event.shape, event.device) == (expected.shape, expected.device)
        assert (event.row["min"], event.row["sum"]) == (None, None)
        assert (event.row["first_bad"] == -1) == (expected.row["first_bad"] == -1)


def order(event: Event) -> tuple[Any, ...]:
    path = "/".join(part for part in event.path.split("/") if not part.strip("_").isdigit())
    iteration = -1 if event.iteration is None else event.iteration
    counts = tuple(event.row[name] for name in COUNTS)
    return (event.name, event.slot, path, iteration, counts)


def test_turns_and_calls_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reduced, plain = both_ways(loops_branches_and_calls, tmp_path, monkeypatch)
    assert sorted((event.name, event.iteration or 0) for event in reduced) == sorted(
        (event.name, event.iteration or 0) for event in plain
    )


def test_of_other_types_the_shape_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reduced, plain = both_ways(every_type, tmp_path, monkeypatch)
    assert sorted((event.name, event.dtype, event.shape) for event in reduced) == sorted(
        (event.name, event.dtype, event.shape) for event in plain
    )
    counted = {event.dtype for event in reduced if event.row["zero"] is not None}
    assert counted == {"float16", "bfloat16", "float32", "float64", "string"}


def test_results_stay_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_summary, "accelerator_is_visible", lambda: True)
    for program in (trained, loops_branches_and_calls):
        results: list[Any] = []
        record(tmp_path / program.__name__, lambda program=program, results=results: results.append(program()))
        for value, expected in zip(tf.nest.flatten(results[0]), tf.nest.flatten(program()), strict=True):
            np.testing.assert_array_equal(value, expected)


def test_eager_tensors_are_reduced_where_they_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_summary, "lies_on_accelerator", lambda device: True)

    def program() -> None:
        tf.math.log(tf.constant([[1.0, 0.0], [-1.0, 4.0]]))
        tf.constant([1, 2]) + 1

    recorded = record(tmp_path, program)
    log = recorded.one("Log")
    assert [log.row[name] for name in COUNTS] == [4, 0, 1, 1, 1, 0, 1]
    assert (log.shape, log.row["first_bad"], log.row["max"]) == ("[2, 2]", -2, None)
    whole = recorded.one("AddV2")
    assert (whole.shape, whole.row["zero"]) == ("[2]", None)


def test_here_no_gpu_is_visible() -> None:
    assert device_summary.accelerator_is_visible() == bool(tf.config.list_physical_devices("GPU"))
