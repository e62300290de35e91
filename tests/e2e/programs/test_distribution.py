"""Distribution strategies and threads: each event names its replica's device, and the way back crosses replicas."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

import pytest
import tensorflow as tf

from tests import programs
from tests.backends.tensorflow.recorded import read
from tests.e2e.programs.checking import Program, check

MIRRORED = """
import sys
import numpy as np, tensorflow as tf
cpus = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    weight = tf.Variable([1.0, 2.0], name="weight")

@tf.function
def step(batch):
    def replica(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.math.log(x) * weight)  # HERE
        gradient = tape.gradient(loss, weight)
        context = tf.distribute.get_replica_context()
        total = context.all_reduce(tf.distribute.ReduceOp.SUM, gradient)
        weight.assign_sub(0.1 * total)
        return loss
    losses = strategy.run(replica, args=(batch,))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)

rows = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 5.0], [0.0, 6.0]], np.float32)
data = tf.data.Dataset.from_tensor_slices(rows).batch(2)
for batch in strategy.experimental_distribute_dataset(data):
    print(float(step(batch)), weight.numpy().tolist())
print([local.numpy().tolist() for local in strategy.experimental_local_results(weight)])
"""

MIRRORED_KERAS = """
import keras, numpy as np, tensorflow as tf
cpus = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
keras.utils.set_random_seed(1)

def loss(labels, probs):
    return -tf.reduce_sum(labels * tf.math.log(probs), axis=-1)  # HERE

with strategy.scope():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2, "softmax", kernel_initializer="identity")])
    model.compile("sgd", loss)
x = np.array([[1.0, 2.0], [400.0, -400.0]] * 4, np.float32)
history = model.fit(x, np.eye(2, dtype=np.float32)[[0, 1] * 4], batch_size=4, shuffle=False, verbose=0)
print(history.history, [value.tolist() for value in model.get_weights()])
"""


def run_both_ways(folder: Path, text: str) -> Path:
    """Runs a program plainly and with `tdbg run`, in processes of their own; the output must be the same."""
    program = folder / "program.py"
    program.write_text(text)
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    commands = [
        [sys.executable, str(program)],
        [sys.executable, "-m", "tensordbg", "run", "--out", str(folder / "traces"), str(program)],
    ]
    plain, recorded = (
        programs.run(command, capture_output=True, text=True, check=False, env=quiet) for command in commands
    )
    assert plain.returncode == 0, plain.stderr
    assert (recorded.returncode, recorded.stdout) == (0, plain.stdout), recorded.stderr
    (trace,) = (folder / "traces").iterdir()
    return trace


def first_origin(trace: Path) -> dict[str, object]:
    done = programs.run(
        [sys.executable, "-m", "tensordbg", "why", str(trace), "--json"], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)["origins"][0]


@pytest.fixture(scope="module")
def mirrored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_both_ways(tmp_path_factory.mktemp("mirrored"), MIRRORED)


def test_every_event_names_the_device_of_its_replica(mirrored: Path) -> None:
    recorded = read(mirrored)
    logs = [event for event in recorded.events if recorded.site_of(event).op_type == "Log"]
    assert len(logs) == 4
    assert {(event.name, event.device.rsplit("/", 1)[-1]) for event in logs} == {
        ("Log", "device:CPU:0"),
        ("replica_1/Log", "device:CPU:1"),
    }


def test_the_replica_that_went_wrong_is_named(mirrored: Path) -> None:
    origin = first_origin(mirrored)
    text = MIRRORED.splitlines()
    assert (origin["tensor"], origin["cause"], origin["step"]) == ("replica_1/Log:0", "log_of_zero", 1)
    assert str(origin["device"]).endswith("CPU:1")
    assert text[origin["source"]["line"] - 1].endswith("# HERE")  # type: ignore[index]


def test_what_replicas_reduced_together_is_followed(mirrored: Path) -> None:
    # The bad gradient of one replica comes to the variables of both through the sum over all replicas.
    origin = first_origin(mirrored)
    assert {"loss", "output"} & set(origin["reaches"])  # type: ignore[call-overload]
    assert {"gradient", "variable"} <= set(origin["reaches"])  # type: ignore[call-overload]


@pytest.mark.parametrize("decorator", ["@tf.function\n", ""], ids=["function", "eager"])
def test_the_same_line_on_all_replicas_is_one_entry(tmp_path: Path, decorator: str) -> None:
    everywhere = MIRRORED.replace("[1.0, 2.0], [3.0, 4.0]", "[0.0, 2.0], [0.0, 4.0]").replace(
        "@tf.function\n", decorator
    )
    trace = run_both_ways(tmp_path, everywhere)
    devices = first_origin(trace)["devices"]
    assert [name.rpartition("/device:")[2] for name in devices] == ["CPU:0", "CPU:1"]  # type: ignore[attr-defined]
    command = [sys.executable, "-m", "tensordbg", "why", str(trace)]
    told = programs.run(command, capture_output=True, text=True, check=True).stdout
    assert told.count("cause ") == 1
    assert ", on 2 replicas" in told


def test_keras_over_replicas(tmp_path: Path) -> None:
    trace = run_both_ways(tmp_path, MIRRORED_KERAS)
    origin = first_origin(trace)
    assert origin["cause"] == "log_of_zero"
    assert MIRRORED_KERAS.splitlines()[origin["source"]["line"] - 1].endswith("# HERE")  # type: ignore[index]
    devices = {event.device for event in read(trace).events}
    assert {"CPU:0", "CPU:1"} <= {device[-5:] for device in devices}


def one_device() -> object:
    strategy = tf.distribute.OneDeviceStrategy("CPU:0")
    with strategy.scope():
        weight = tf.Variable([4.0, 0.0])

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(x / weight)  # HERE

    return strategy.run(step, args=(tf.ones(2),))


def several_threads() -> object:
    @tf.function
    def shared(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(x)  # HERE

    results: dict[int, object] = {}

    def work(number: int) -> None:
        for _ in range(5):
            results[number] = shared(tf.sqrt(tf.constant(float(number))))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [results[number] for number in range(4)]


def functions_traced_in_threads() -> object:
    results: dict[int, object] = {}

    def work(number: int) -> None:
        @tf.function
        def own(x: tf.Tensor) -> tf.Tensor:
            return 1.0 / (x - number)  # HERE

        results[number] = own(tf.constant([0.0, 1.0, 2.0, 3.0]))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [results[number] for number in range(4)]


PROGRAMS: list[Program] = [one_device, several_threads, functions_traced_in_threads]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_same_bits_and_the_guilty_line(tmp_path: Path, program: Program) -> None:
    check(program, tmp_path)


def test_calls_in_all_threads_are_recorded(tmp_path: Path) -> None:
    checked = check(several_threads, tmp_path)
    logs = checked.named("Log")
    assert len(logs) == 20
    assert sum(event.row["neg_inf"] for event in logs) == 5
    threads = {row["thread"] for row in checked.recorded.executions if row["function"] >= 0}
    assert len(threads) == 4
