"""Operations that are recorded in compiled code from the second time on leave the same trace as by Python's way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import pytest
import tensorflow as tf

from tensordbg import _native
from tests.backends.tensorflow.recorded import Recorded, record


def a_loop() -> None:
    """Comes to the same lines again: by two callers, with lists, strings, several results and what is not finite."""
    x, w = tf.constant([2.0, 1.0]), tf.Variable([1.0, 3.0])

    def twice(value: tf.Tensor) -> tf.Tensor:
        return value + value

    for turn in range(6):
        x = twice(tf.concat([x[:1], twice(x[1:])], 0)) * w
        low, high = tf.split(x, 2)
        tf.strings.as_string(tf.math.log(low - high) if turn % 2 else tf.sqrt(low))
        tf.cast(x, tf.float16) * tf.constant(1e4, tf.float16)
        w.assign_add(x * 0.5)


def layers() -> None:
    """Calls one function in several layers, and one layer at several places."""
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.layers.Dense(3, "relu"), keras.layers.Dense(3, "relu"), keras.layers.Softmax()])
    x = tf.ones([2, 3])
    for _ in range(3):
        x = model(x) + 1.0
        x = model(x) * 2.0


def a_training() -> None:
    """Takes gradients of a loss that becomes infinite."""
    w = tf.Variable([1.0, 2.0])
    for turn in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.math.log(w * w) / float(3 - turn))
        (gradient,) = tape.gradient(loss, [w])
        w.assign_sub(gradient * 0.1)


def recursion() -> None:
    """Computes at several depths."""

    def deeper(x: tf.Tensor, depth: int) -> tf.Tensor:
        return deeper(x * x, depth - 1) if depth else x + x

    for depth in (1, 3, 1, 3, 300, 300):
        deeper(tf.identity(tf.constant(1.0)), depth)


CALLER = "test_the_same_is_recorded"


def told(recorded: Recorded) -> list[tuple[object, ...]]:
    """What ran, in order: the operation, its layer and its lines, the step, and the references of the inputs."""
    lines = {
        number: [(each.line, each.function) for each in stack if each.file == __file__ and each.function != CALLER]
        for number, stack in recorded.reader.stacks().items()
    }
    return [
        (site.op_type, site.layer, lines[site.stack], each["step"], tuple(each["inputs"]))
        for each in recorded.executions
        for site in [recorded.sites[each["site"]]]
    ]


@pytest.mark.parametrize("program", [a_loop, layers, a_training, recursion])
@pytest.mark.parametrize("every", [1, 2])
def test_the_same_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Callable[[], None], every: int
) -> None:
    keras.utils.clear_session()
    known = record(tmp_path / "known", program, every=every)
    monkeypatch.setattr(_native, "record_known", lambda *_: None)
    keras.utils.clear_session()
    unknown = record(tmp_path / "unknown", program, every=every)
    assert told(known) == told(unknown)
    assert known.measured() == unknown.measured()
    assert len(known.events) > 10


def times_learned(folder: Path, monkeypatch: pytest.MonkeyPatch, **asked: Any) -> int:
    """How many of a hundred additions at one place Python has recorded and told of."""
    learned: list[object] = []
    plain = _native.learn_operation

    def learn_operation(*told: Any) -> None:
        learned.append(told[1])
        plain(*told)

    monkeypatch.setattr(_native, "learn_operation", learn_operation)

    def program() -> None:
        x = tf.constant(1.0) + 1.0
        for _ in range(100):
            x = x * x

    record(folder, program, **asked)
    return learned.count("Mul")


def test_python_is_asked_at_the_first_sight_of_a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert times_learned(tmp_path, monkeypatch) == 1


def test_nothing_is_learned_where_more_is_asked_of_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert times_learned(tmp_path, monkeypatch, detail="values") == 0


def test_threads_share_what_is_known(tmp_path: Path) -> None:
    def program() -> None:
        x = tf.constant([1.0, 2.0]) * 1.0

        def work() -> None:
            for _ in range(50):
                tf.square(x)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    recorded = record(tmp_path, program)
    steps = [each["step"] for each in recorded.executions if recorded.sites[each["site"]].op_type == "Square"]
    assert sorted(steps) == list(range(200))
