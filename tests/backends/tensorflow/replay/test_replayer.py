"""Captured steps run again in a process that never sees the program."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import keras
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.why import why
from tensordbg.backends.tensorflow.replay.replayer import Replayer
from tensordbg.capture.outcome import Outcome
from tensordbg.capture.reader import list_captures, open_capture
from tensordbg.capture.replayed import read_replayed
from tensordbg.replaying.bisect import bisect
from tensordbg.replaying.plan import ReplayPlan
from tensordbg.trace.reader import open_trace
from tensordbg.trapping.plan import TrapPlan
from tests import programs
from tests.backends.tensorflow.captured import captures

PROGRAMS = {
    "branches": """
        import numpy as np
        import tensorflow as tf

        kernel = tf.Variable([1.0, 2.0, 3.0], name="kernel")
        generator = tf.random.Generator.from_seed(3)

        @tf.function
        def inner(x):
            return tf.cond(tf.reduce_min(x) >= 0.0, lambda: tf.math.log(x), lambda: x)

        @tf.function
        def step(x):
            noise = generator.uniform((3,), 0.0, 1e-3)
            with tf.GradientTape() as tape:
                total = tf.constant(0.0)
                for _ in tf.range(3):
                    total += tf.reduce_sum(inner(x) * kernel + noise)
            kernel.assign_sub(tape.gradient(total, kernel))
            return total

        for x in ([1.0, 2.0, 3.0], [-1.0, 2.0, 3.0], [1.0, 0.0, 3.0]):
            step(tf.constant(x))
        """,
    "pipeline": """
        import numpy as np
        import tensorflow as tf

        kernel = tf.Variable(tf.ones((2, 1)), name="kernel")
        data = np.ones((9, 4, 2), np.float32)
        data[5, 1] = -1.0

        @tf.function
        def epoch(dataset):
            for x in dataset:
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.sqrt(tf.matmul(x, kernel) + 1.0))
                kernel.assign_add(0.01 * tape.gradient(loss, kernel))

        epoch(tf.data.Dataset.from_tensor_slices(data))
        """,
}
CAUSES = {"branches": "log_of_zero", "pipeline": "root_of_negative"}
LINES = {"branches": "tf.math.log(x)", "pipeline": "tf.sqrt(tf.matmul(x, kernel) + 1.0)"}


@pytest.fixture(scope="module", params=PROGRAMS)
def capture(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The capture of a program that is gone since."""
    folder = tmp_path_factory.mktemp("program")
    program = folder / f"{request.param}.py"
    program.write_text(textwrap.dedent(PROGRAMS[request.param]))
    plan = TrapPlan(folder / "captures")
    launcher = [sys.executable, "-m", "tensordbg.trapping.launch", plan.to_json(), str(program)]
    done = programs.run(launcher, check=False, capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    program.unlink()
    (path,) = list_captures(folder / "captures")
    return path


def replay(capture: Path, trace: Path, times: int = 1) -> subprocess.CompletedProcess[str]:
    plan = ReplayPlan(str(capture), times).to_json()
    launcher = [sys.executable, "-m", "tensordbg.replaying.launch", str(trace), plan]
    return programs.run(launcher, check=False, capture_output=True, text=True, cwd=trace.parent)


def test_a_replay_comes_out_the_same_and_tells_the_line_of_the_program(capture: Path, tmp_path: Path) -> None:
    done = replay(capture, tmp_path / "trace", 2)
    assert done.returncode == 0, done.stderr
    replayed = read_replayed(tmp_path / "trace")
    assert [run.outcome for run in replayed.runs] == [Outcome.SAME, Outcome.SAME]
    assert (replayed.random, replayed.notes) == ((), ())
    result = why(open_trace(tmp_path / "trace"))
    origin = next(origin for origin in result.origins if origin.consequential)
    assert origin.source is not None
    name = Path(origin.source.file).stem
    assert (origin.cause, LINES[name] in origin.source.text) == (CAUSES[name], True)


def test_functions_that_are_no_functions_are_one_error(capture: Path, tmp_path: Path) -> None:
    hostile = tmp_path / "hostile"
    for content in (b"", b"\xff\xff\xff", (capture / "function.pb").read_bytes()[:-40]):
        shutil.rmtree(hostile, ignore_errors=True)
        shutil.copytree(capture, hostile)
        (hostile / "function.pb").write_bytes(content)
        done = replay(hostile, tmp_path / f"trace-{len(content)}")
        assert done.returncode == 2, done.stderr
        errors = [line for line in done.stderr.splitlines() if line.startswith("tdbg: error: ")]
        assert len(errors) == 1
        assert "Traceback" not in done.stderr


def replayer(name: str, **asked: Any) -> Replayer:
    path = captures()[name]
    return Replayer(open_capture(path), ReplayPlan(str(path), **asked))


def test_random_operations_whose_state_is_not_captured_are_named() -> None:
    assert replayer("noisy").random == ("noise/RandomUniform",)
    assert replayer("any_size").random == ()


@pytest.mark.parametrize(("name", "refilled"), [("any_size", False), ("one_size", True)])
def test_the_row_that_does_it_is_found(name: str, refilled: bool) -> None:
    found = bisect(replayer(name), open_capture(captures()[name]).header.trouble)
    assert (found.smallest, found.alone, found.inputs, found.rows) == ((7,), (7,), ("x", "y"), 12)
    assert found.refilled is refilled


def test_a_step_that_made_its_model_itself_is_replayed(tmp_path: Path) -> None:
    model = keras.Sequential([keras.layers.Dense(2)])
    optimizer = keras.optimizers.SGD(0.1)

    def step(x: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x)) / 0.0)
        optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)

    with tensordbg.trap(tmp_path, "record", most=1):
        step(tf.ones([4, 3]))
    (path,) = list_captures(tmp_path)
    again = Replayer(open_capture(path), ReplayPlan(str(path)))
    assert any(reading.bad for reading in again.run(again.arguments))
    assert again.moved() is None


def test_what_the_step_left_behind_is_told() -> None:
    step = replayer("any_size")
    readings = {reading.role: reading for reading in step.run(step.arguments)}
    assert readings["loss"].neg_inf == 1
    assert (step.ruined(), step.moved()) == (("kernel",), None)
    good = {name: array[:7] for name, array in step.arguments.items()}
    readings = {reading.role: reading for reading in step.run(good)}
    assert not readings["loss"].bad
    assert readings["loss"].value is not None
    moved = step.moved()
    assert step.ruined() == ()
    assert moved == pytest.approx(0.1 * (readings["gradient"].norm or 0.0), rel=1e-5)
