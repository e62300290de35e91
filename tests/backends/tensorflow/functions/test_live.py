"""Functions that were made before recording began are recorded all the same, without being traced again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.functions.live import live_functions
from tests.backends.tensorflow.checked import checking, raised
from tests.backends.tensorflow.recorded import record


def test_a_function_called_before_is_recorded_and_not_traced_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    traces = []

    @tf.function
    def early(x: tf.Tensor) -> tf.Tensor:
        traces.append(x)
        for _ in tf.range(2):
            x = tf.sin(x)
        return x

    early(tf.constant(1.0))
    recorded = record(tmp_path, lambda: early(tf.constant(2.0)))
    assert [event.iteration for event in recorded.of("while/Sin")] == [0, 1]
    assert recorded.user_frames(recorded.of("while/Sin")[0])[-1].file == __file__
    assert recorded.one("x").row["max"] == 2.0
    assert len(traces) == 1
    # What other tests left behind may be named.
    assert "early" not in capsys.readouterr().err


def test_gradients_made_before_are_recorded(tmp_path: Path) -> None:
    weight = tf.Variable(3.0)

    @tf.function
    def loss() -> tf.Tensor:
        return tf.square(weight)

    def step() -> tf.Tensor:
        with tf.GradientTape() as tape:
            value = loss()
        return tape.gradient(value, weight)

    assert step().numpy() == 6.0
    recorded = record(tmp_path, step)
    assert recorded.one("Square").row["max"] == 9.0
    assert 6.0 in {event.row["max"] for event in recorded.events if event.name.startswith("gradient")}


def _logarithm(x: tf.Tensor) -> tf.Tensor:
    return tf.math.log(x)


def _logarithms_in_a_loop(x: tf.Tensor) -> tf.Tensor:
    for _ in tf.range(2):
        x = tf.math.log(x)
    return x


def _logarithms_of_a_map(x: tf.Tensor) -> tf.Tensor:
    return tf.map_fn(tf.math.log, x)


@pytest.mark.parametrize("python", [_logarithm, _logarithms_in_a_loop, _logarithms_of_a_map])
def test_a_function_called_without_and_with_a_tape_before_is_recorded_and_checked_in_both(
    tmp_path: Path, python: Callable[[tf.Tensor], tf.Tensor]
) -> None:
    function = tf.function(python)
    x = tf.constant([2.0, 0.0])

    def with_a_tape() -> None:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        tape.gradient(y, x)

    function(x)
    with_a_tape()
    for number, program in enumerate((lambda: function(x), with_a_tape)):
        recorded = record(tmp_path / str(number), program)
        assert [event for event in recorded.events if event.name.endswith("Log") and event.row["neg_inf"]]
        with checking():
            found = raised(program)
        assert found is not None and found.op_type == "Log"


def test_what_a_dataset_holds_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tf.data.Dataset.range(2).map(lambda x: tf.sin(tf.cast(x, tf.float32)))

    def program() -> None:
        assert len(list(data)) == 2

    recorded = record(tmp_path, program)
    assert recorded.of("Sin") == []
    (warning,) = [line for line in capsys.readouterr().err.splitlines() if "made before" in line]
    assert "lambda given to map" in warning
    assert any("made before" in each for each in recorded.reader.facts.warnings)


LEFT_BEHIND = """
import sys
import tensorflow as tf
import tensordbg

def past():
    list(tf.data.Dataset.range(2).map(lambda x: tf.sin(tf.cast(x, tf.float32))))

    @tf.function
    def loop(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                y = y * x
        return tape.gradient(y, x)

    loop(tf.constant(2.0))

past()
with tensordbg.record(sys.argv[1]):
    tf.sin(1.0)
"""


def test_what_is_no_longer_used_is_not_named(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(LEFT_BEHIND)
    command = [sys.executable, "program.py", "traces"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "tdbg: warning" not in done.stderr


def test_live_functions_are_each_there_once() -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.cos(x)

    concrete = program.get_concrete_function(tf.TensorSpec((), tf.float32))
    names = [each.name for each in live_functions()]
    assert names.count(concrete.name.decode()) == 1
    assert len(set(names)) == len(names)
