"""Pipelines whose functions run for several elements at once: what goes wrong has the inputs of its own element.

Elements meet inside of the function, four at a time, so that their runs surely lie over each other in the trace.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.view.event.neighbours import find_inputs
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.trace.reader import open_trace
from tensordbg.wire.why import why_to_json
from tests.backends.tensorflow.recorded import Recorded, read
from tests.e2e.programs.checking import Program, check_lines, recorded_and_why

ELEMENTS, AT_ONCE, GUILTY = 64, 4, 37

Meet = Callable[[tf.Tensor], tf.Tensor]


def meeting() -> Meet:
    """Hands an element on when four have come."""
    barrier = threading.Barrier(AT_ONCE, timeout=60)

    def wait(x: np.ndarray) -> np.ndarray:
        barrier.wait()
        return x

    def meet(x: tf.Tensor) -> tf.Tensor:
        met = tf.numpy_function(wait, [x], x.dtype)
        met.set_shape(x.shape)
        return met

    return meet


def numbers() -> tf.data.Dataset:
    """With as many threads as elements run at once, however few processors there are."""
    options = tf.data.Options()
    options.threading.private_threadpool_size = 2 * AT_ONCE
    return tf.data.Dataset.range(ELEMENTS).map(lambda x: tf.cast(x, tf.float32)).with_options(options)


def apart(x: tf.Tensor) -> tf.Tensor:
    return x - float(GUILTY)


def logarithms() -> object:
    meet = meeting()

    def logarithm(x: tf.Tensor) -> tf.Tensor:
        distance = tf.abs(apart(meet(x)))
        return tf.math.log(meet(distance))  # HERE

    return list(numbers().map(logarithm, num_parallel_calls=AT_ONCE))


def shares_of_two() -> object:
    meet = meeting()

    def share(x: tf.Tensor) -> tf.Tensor:
        below = meet(apart(x))
        above = meet(x + 1.0)
        return above / below  # HERE

    return list(numbers().map(share, num_parallel_calls=AT_ONCE, deterministic=False).batch(8).prefetch(2))


def in_a_loop() -> object:
    meet = meeting()

    def scaled(x: tf.Tensor) -> tf.Tensor:
        y = meet(apart(x))
        for _ in tf.range(3):
            y = meet(y * 2.0)
        return meet(tf.math.rsqrt(y * y))  # HERE

    return list(numbers().map(scaled, num_parallel_calls=AT_ONCE))


def in_a_function_that_is_called() -> object:
    meet = meeting()

    @tf.function
    def reciprocal(x: tf.Tensor) -> tf.Tensor:
        return 1.0 / meet(x)  # HERE

    def both(x: tf.Tensor) -> tf.Tensor:
        return reciprocal(apart(meet(x))) + meet(x)

    return list(numbers().map(both, num_parallel_calls=AT_ONCE))


def batched_as_it_is_mapped() -> object:
    meet = meeting()

    def root(x: tf.Tensor) -> tf.Tensor:
        return tf.math.sqrt(meet(tf.abs(apart(meet(x))) - 0.5))  # HERE

    return list(numbers().apply(tf.data.experimental.map_and_batch(root, 8, num_parallel_calls=AT_ONCE)))


def interleaved() -> object:
    meet = meeting()

    def files(first: tf.Tensor) -> tf.data.Dataset:
        def inverse(x: tf.Tensor) -> tf.Tensor:
            return 1.0 / meet(apart(meet(x)))  # HERE

        each = tf.data.Dataset.range(first * 16, first * 16 + 16).map(lambda x: tf.cast(x, tf.float32))
        return each.map(inverse)

    starts = tf.data.Dataset.range(AT_ONCE).with_options(numbers().options())
    return list(starts.interleave(files, cycle_length=AT_ONCE, num_parallel_calls=AT_ONCE))


def inside_of_a_step() -> object:
    meet = meeting()

    def logarithm(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(meet(tf.abs(apart(meet(x)))))  # HERE

    @tf.function
    def total() -> tf.Tensor:
        found = tf.constant(0.0)
        for x in numbers().map(logarithm, num_parallel_calls=AT_ONCE):
            found = tf.maximum(found, x)
        return found

    return total()


def as_many_as_tensorflow_likes() -> object:
    def logarithm(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(tf.abs(apart(x)))  # HERE

    return list(tf.data.Dataset.range(ELEMENTS).map(lambda x: logarithm(tf.cast(x, tf.float32)), tf.data.AUTOTUNE))


PROGRAMS: list[tuple[Program, str]] = [
    (logarithms, "log_of_zero"),
    (shares_of_two, "division_by_zero"),
    (in_a_loop, "division_by_zero"),
    (in_a_function_that_is_called, "division_by_zero"),
    (batched_as_it_is_mapped, "root_of_negative"),
    (interleaved, "division_by_zero"),
    (inside_of_a_step, "log_of_zero"),
    (as_many_as_tensorflow_likes, "log_of_zero"),
]


@pytest.mark.parametrize(("program", "cause"), PROGRAMS)
def test_the_cause_has_the_inputs_of_its_own_element(tmp_path: Path, program: Program, cause: str) -> None:
    checked = recorded_and_why(program, tmp_path)
    check_lines(program, checked.answer)
    (origin,) = checked.answer["origins"]
    assert (origin["cause"], origin["occurrences"]) == (cause, 1)
    check_inputs(checked.recorded)


@pytest.mark.parametrize("last", [0, 100_000])
def test_it_is_known_of_raw_events_too(tmp_path: Path, last: int) -> None:
    with tensordbg.record(tmp_path, last=last) as recording:
        logarithms()
        check_inputs(read(recording.path))
        (origin,) = why_to_json(tensordbg.open(recording.path).why())["origins"]
        assert (origin["cause"], [each["health"]["min"] for each in origin["inputs"]]) == ("log_of_zero", [0.0])
    check_inputs(read(recording.path))


def test_of_the_last_events_too(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path, last=200) as recording:
        logarithms()
    events = read(recording.path).events
    runs = Counter(event.row["run"] for event in events if event.name.endswith("sub"))
    assert set(runs.values()) == {1}
    assert 10 < len(runs) < ELEMENTS


def check_inputs(recorded: Recorded) -> None:
    """What went into each difference, and what came out, are of one element."""
    opened = OpenedTrace(open_trace(recorded.reader.path))
    differences = [event for event in recorded.events if event.name.endswith("sub") and event.iteration is None]
    assert len(differences) == ELEMENTS
    assert len({event.row["run"] for event in differences}) == ELEMENTS
    for event in differences:
        taken = next(each.event for each in find_inputs(opened, event.number) if each.slot == 0)
        assert taken is not None
        health = opened.row(taken).health
        assert health is not None
        assert event.row["min"] == health.min - GUILTY
