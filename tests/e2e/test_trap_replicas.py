"""A step that several replicas compute together goes wrong in one of them: all stop at it, and each capture replays."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests import programs

CUSTOM = """
import sys
import tensorflow as tf

cpus = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    weight = tf.Variable([[1.0], [2.0]], name="weight")
features = tf.constant([[1.0, 1.0], [2.0, 1.0], [3.0, 1.0], [-9.0, 1.0]])
data = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(features).batch(2))

def replica(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.sqrt(tf.matmul(batch, weight)))  # HERE
    gradient = tf.distribute.get_replica_context().all_reduce("sum", tape.gradient(loss, weight))
    weight.assign_sub(0.01 * gradient)
    return loss

@tf.function
def train_step(batch):
    return strategy.run(replica, args=(batch,))

for batch in data:
    train_step(batch) if "graph" in sys.argv else strategy.run(replica, args=(batch,))
"""

FIT = """
import keras, numpy as np, tensorflow as tf

cpus = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)
random = np.random.default_rng(0)
x, y = random.normal(size=(32, 4)).astype("float32"), random.normal(size=(32, 1)).astype("float32")
x[20, 2] = np.nan
with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0)
"""

WORKER = """
import json, os, sys
import tensorflow as tf

index = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    weight = tf.Variable([[1.0], [2.0]], name="weight")

def replica(batch):
    with tf.GradientTape() as tape:
        product = tf.matmul(batch, weight)
        # The logarithm's gradient is finite where the logarithm is not.
        loss = tf.reduce_mean(tf.sqrt(product) if sys.argv[1] == "gradient" else tf.math.log(product))  # HERE
    gradient = tf.distribute.get_replica_context().all_reduce("sum", tape.gradient(loss, weight))
    weight.assign_sub(0.01 * gradient)
    return loss

@tf.function
def train_step(batch):
    return strategy.run(replica, args=(batch,))

for step in range(6):
    bad = index == 1 and step == 2
    train_step(tf.constant([[1.0, 1.0], [-9.0 if bad else 2.0, 1.0]]))
"""

REPLAY = """
import json, sys
from pathlib import Path
import tensorflow
import tensordbg
from tensordbg.backends.tensorflow.replay.replayer import Replayer
from tensordbg.capture.outcome import compare
from tensordbg.capture.reader import list_captures, open_capture
from tensordbg.replaying.plan import ReplayPlan

for name in sys.argv[1:]:
    (path,) = list_captures(Path(name))
    capture = open_capture(path)
    with tensordbg.record("traces") as recording:
        replayer = Replayer(capture, ReplayPlan(str(path)))
        outcome = compare(capture.header.trouble, replayer.run(replayer.arguments))
    origins = tensordbg.open(recording.path).why().origins
    found = [[each.cause, each.source.text if each.source else ""] for each in origins if each.consequential]
    print(json.dumps([name, capture.header.step, outcome.value, found]), flush=True)
"""

TRAP = (sys.executable, "-m", "tensordbg", "trap", "--no-replay", "--captures")


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **more}


def replayed(folder: Path, *names: str) -> dict[str, list[object]]:
    """How each capture came out in a process with one device: its step, the outcome, the causes with their lines."""
    done = programs.run(
        [sys.executable, "-c", REPLAY, *names],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return {name: rest for name, *rest in map(json.loads, done.stdout.splitlines())}


def closing_line(err: str) -> str:
    return [line for line in err.splitlines() if line.startswith("tdbg: ")][-1]


@pytest.fixture(scope="module")
def mirrored(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, tuple[int, str]], dict[str, list[object]]]:
    """Exit code and closing line of each program with two replicas, and how the captures replay."""
    folder = tmp_path_factory.mktemp("mirrored")
    (folder / "custom.py").write_text(CUSTOM)
    (folder / "fit.py").write_text(FIT)
    ended = {}
    for name, *words in (("graph", "custom.py", "graph"), ("eager", "custom.py"), ("fit", "fit.py")):
        done = programs.run(
            [*TRAP, name, *words], cwd=folder, env=environment(), capture_output=True, text=True, check=False
        )
        ended[name] = done.returncode, closing_line(done.stderr)
    return ended, replayed(folder, *ended)


SQRT = "loss = tf.reduce_mean(tf.sqrt(tf.matmul(batch, weight)))  # HERE"


@pytest.mark.parametrize(
    ("name", "step", "cause", "line"),
    [
        ("graph", 1, "root_of_negative", SQRT),
        ("eager", 3, "root_of_negative", SQRT),
        ("fit", 2, "bad_input_data", "model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0)"),
    ],
)
def test_two_replicas_in_one_process(
    mirrored: tuple[dict[str, tuple[int, str]], dict[str, list[object]]], name: str, step: int, cause: str, line: str
) -> None:
    ended, replays = mirrored
    code, last = ended[name]
    assert code == 3
    assert f"step {step} of " in last
    found, outcome, causes = replays[name]
    assert found == step
    # What a fused kernel computes may differ in the last bits from its operations one by one.
    assert outcome in ({"alike", "same"} if name == "fit" else {"same"})
    assert [cause, line] in [[each, text.strip()] for each, text in causes]  # type: ignore[attr-defined]


def run_workers(folder: Path, how: str) -> list[tuple[int, str]]:
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.0.1", 0))
        second.bind(("127.0.0.1", 0))
        hosts = [f"127.0.0.1:{each.getsockname()[1]}" for each in (first, second)]
    (folder / "worker.py").write_text(WORKER)
    workers = [
        subprocess.Popen(
            [*TRAP, f"{how}{index}", "worker.py", how],
            cwd=folder,
            env=environment(
                TF_CONFIG=json.dumps({"cluster": {"worker": hosts}, "task": {"type": "worker", "index": index}})
            ),
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        for index in range(2)
    ]
    errors = [each.communicate(timeout=300)[1] for each in workers]
    return [(each.returncode, closing_line(error)) for each, error in zip(workers, errors, strict=True)]


def test_all_workers_stop_at_the_step_in_which_one_had_a_bad_gradient(tmp_path: Path) -> None:
    (first_code, first), (second_code, second) = run_workers(tmp_path, "gradient")
    assert (first_code, second_code) == (3, 3)
    assert "step 2 of train_step: what other processes gave to the gradients is not finite" in first
    assert "step 2 of train_step: the loss is not finite" in second
    replays = replayed(tmp_path, "gradient0", "gradient1")
    assert [rest[0] for rest in replays.values()] == [2, 2]
    # The one that was told of it has what it was told; the other has its own part alone.
    assert replays["gradient0"][1:] == ["same", [["bad_input_data", ""]]]
    (cause, line), *_ = replays["gradient1"][2]  # type: ignore[misc]
    assert replays["gradient1"][1] in {"same", "alike"}
    assert cause == "root_of_negative"
    assert line.endswith("# HERE")


def test_a_worker_whose_own_step_was_good_stops_when_another_does(tmp_path: Path) -> None:
    (first_code, first), (second_code, second) = run_workers(tmp_path, "loss")
    assert (first_code, second_code) == (3, 3)
    assert first == second
    assert "step 2 of train_step: the loss is not finite" in second
    assert [each.name for each in (tmp_path / "loss1").iterdir()] == ["train_step-2"]
