"""Two real workers that train together over the network of this machine, each recorded into the same folder."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import programs

WORKER = """
import json, os, sys
import numpy as np, tensorflow as tf

tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
index = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    weight = tf.Variable(np.linspace(0.1, 0.8, 8).reshape(4, 2).astype(np.float32), name="weight")
    bias = tf.Variable(tf.zeros(2), name="bias")
data = np.random.default_rng(index).normal(size=(4, 6, 4)).astype(np.float32)
if index == 1:
    data[2, 3] = 0.0

@tf.function
def train_step(features):
    def replica(features):
        context = tf.distribute.get_replica_context()
        with tf.GradientTape() as tape:
            length = tf.norm(features, axis=1, keepdims=True)
            scaled = features / length  # HERE
            loss = tf.reduce_mean(tf.square(scaled @ weight + bias - 1.0))
        gradients = tape.gradient(loss, [weight, bias])
        options = tf.distribute.experimental.CommunicationOptions(bytes_per_pack=16)
        gradients = context.all_reduce("mean", gradients, options)  # THERE
        weight.assign_sub(0.1 * gradients[0])
        bias.assign_sub(0.1 * gradients[1])
        return loss, context.all_gather(tf.reshape(loss, [1]), axis=0)
    loss, losses = strategy.run(replica, args=(features,))  # RUN
    return strategy.reduce("mean", loss, axis=None), losses

for step in range(4):
    loss, losses = train_step(tf.constant(data[step]))
    print(step, float(loss), losses.numpy().tolist(), weight.numpy().tolist(), bias.numpy().tolist(), flush=True)
"""

REPLICAS = """
import json, os, random, time
import keras, numpy as np, tensorflow as tf

tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)
index = int(os.environ["WORKER"])
strategy = tf.distribute.MultiWorkerMirroredStrategy()
keras.utils.set_random_seed(3)
with strategy.scope():
    layers = [keras.layers.Dense(8, "relu"), keras.layers.Dense(2)]
    model = keras.Sequential([keras.Input((4,)), *layers])

def replica(features):
    context = tf.distribute.get_replica_context()
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(features)))
    gradients = tape.gradient(loss, model.trainable_variables)
    options = tf.distribute.experimental.CommunicationOptions(bytes_per_pack=64)
    for variable, change in zip(model.trainable_variables, context.all_reduce("mean", gradients, options)):
        variable.assign_sub(0.05 * change)
    return loss + tf.reduce_sum(context.all_reduce("sum", tf.ones(3) * loss))

@tf.function
def train_steps(features):
    total = tf.constant(0.0)
    for _ in tf.range(3):
        total += strategy.reduce("mean", strategy.run(replica, args=(features,)), axis=None)
    return total

data = np.random.default_rng(index).normal(size=(6, 6, 4)).astype(np.float32)
if index == 1:
    data[4, 2] = np.nan
for batch in data:
    time.sleep(random.random() * 0.02)
    print(float(train_steps(tf.constant(batch))), flush=True)
print([value.tolist() for value in model.get_weights()])
"""

BAD_START = """
import json, os
import tensorflow as tf
os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": os.environ["WORKERS"].split()},
                                      "task": {"type": "worker", "index": int(os.environ["WORKER"])}})
strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    start = [1.0, 0.0] if os.environ["WORKER"] == "0" else [1.0, 2.0]
    weight = tf.Variable(tf.math.log(tf.constant(start)), name="weight")  # HERE
print(weight.numpy().tolist())
"""


@dataclass(frozen=True)
class Ended:
    """What both workers printed, and their exit codes."""

    out: list[str]
    err: list[str]
    codes: list[int]


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def run_both(command: list[str], **environment: str) -> Ended:
    """Starts two workers at the same time and waits for both."""
    workers = [f"127.0.0.1:{port}" for port in free_ports(2)]
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "WORKERS": " ".join(workers), **environment}
    started = []
    for index in range(2):
        config = {"cluster": {"worker": workers}, "task": {"type": "worker", "index": index}}
        own = {"TF_CONFIG": json.dumps(config), "WORKER": str(index)} | quiet
        started.append(subprocess.Popen(command, env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    try:
        said = [process.communicate(timeout=240) for process in started]
    finally:
        for process in started:
            process.terminate()  # nothing, unless they wait for each other in vain
    codes = [process.returncode for process in started]
    return Ended([out for out, _ in said], [err for _, err in said], codes)


def tdbg(*words: str | Path) -> str:
    command = [sys.executable, "-m", "tensordbg", *map(str, words)]
    return programs.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workers")


@pytest.fixture(scope="module")
def recorded(folder: Path) -> Ended:
    """The workers, recorded into one folder."""
    program = folder / "worker.py"
    program.write_text(WORKER)
    return run_both([sys.executable, "-m", "tensordbg", "run", "--out", str(folder / "runs"), str(program)])


def killed(text: str) -> str:
    """The same program, of which worker 1 is killed in step 3."""
    ending = "    if index == 1 and step == 3:\n        os.kill(os.getpid(), 9)\n"
    return text.replace("    print(step", f"{ending}    print(step")


@pytest.fixture(scope="module")
def runs(folder: Path, recorded: Ended) -> Path:
    """The folder of their traces."""
    assert recorded.codes == [0, 0], recorded.err
    return folder / "runs"


@pytest.fixture(scope="module")
def answer(runs: Path) -> dict[str, Any]:
    """What `tdbg why --json` says of them."""
    found: dict[str, Any] = json.loads(tdbg("why", runs, "--json"))
    return found


def line_of(text: str, mark: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.endswith(f"# {mark}"))


def test_the_workers_compute_what_they_compute_without_us(folder: Path, recorded: Ended) -> None:
    plain = run_both([sys.executable, str(folder / "worker.py")])
    assert (recorded.out, recorded.codes) == (plain.out, [0, 0]), recorded.err
    assert plain.codes == [0, 0], plain.err
    assert "nan" in plain.out[0]


def test_the_worker_that_went_bad_first_is_named(answer: dict[str, Any]) -> None:
    origin = answer["origins"][0]
    assert (origin["process"], origin["step"], origin["cause"]) == ("worker 1", 2, "division_by_zero")
    assert origin["source"]["line"] == line_of(WORKER, "HERE")
    assert {"loss", "gradient", "variable"} <= set(origin["reaches"])


def test_how_it_came_to_the_other_worker(answer: dict[str, Any]) -> None:
    (arrival,) = answer["origins"][0]["arrivals"]
    assert (arrival["process"], arrival["from"], arrival["step"]) == ("worker 0", "worker 1", 2)
    assert (arrival["kind"], arrival["op_type"]) in {
        ("all-reduce", "CollectiveReduceV2"),
        ("all-gather", "CollectiveGatherV2"),
    }
    assert arrival["source"]["line"] in {line_of(WORKER, "RUN"), line_of(WORKER, "THERE")}
    assert "variable" in arrival["reaches"]
    assert [process["process"] for process in answer["processes"]] == ["worker 0", "worker 1"]


def test_nothing_in_the_other_worker_is_called_an_origin(answer: dict[str, Any]) -> None:
    assert {origin["process"] for origin in answer["origins"]} == {"worker 1"}


def test_with_its_own_trace_alone_the_other_worker_says_that_it_came_from_outside(runs: Path) -> None:
    found = json.loads(tdbg("why", runs, "--process", "0", "--json"))
    causes = {origin["cause"] for origin in found["origins"] if origin["consequential"]}
    assert causes == {"from_another_process"}


def test_each_worker_says_where_all_are_read_together(runs: Path, recorded: Ended) -> None:
    said = f"tdbg: `tdbg why {runs}` takes the processes of this run together: worker 0, worker 1"
    # The worker that ends first may do so before the other has a trace with events; the last one sees both.
    assert any(said in error for error in recorded.err)


def test_the_tensors_of_both_are_listed(runs: Path) -> None:
    listing = json.loads(tdbg("ls", runs, "--op-type", "CollectiveReduceV2", "--limit", "0", "--json"))
    steps = {(row["process"], row["step"]) for row in listing["tensors"] if row["function"] == "train_step"}
    assert steps == {(f"worker {worker}", step) for worker in range(2) for step in range(4)}


def test_a_program_that_says_only_later_who_it_is(tmp_path: Path) -> None:
    program = tmp_path / "start.py"
    program.write_text(BAD_START)
    command = [sys.executable, "-m", "tensordbg", "run", "--out", str(tmp_path / "runs"), str(program)]
    ended = run_both(command, TF_CONFIG="")
    assert ended.codes == [0, 0], ended.err
    assert ended.out == ["[0.0, -inf]\n"] * 2
    found = json.loads(tdbg("why", tmp_path / "runs", "--json"))
    assert [process["process"] for process in found["processes"]] == ["worker 0", "worker 1"]
    origin = found["origins"][0]
    assert (origin["process"], origin["cause"]) == ("worker 0", "log_of_zero")
    assert origin["source"]["line"] == line_of(BAD_START, "HERE")
    (arrival,) = origin["arrivals"]
    assert (arrival["process"], arrival["kind"]) == ("worker 1", "broadcast")


def test_a_worker_that_was_killed_afterwards(tmp_path: Path) -> None:
    program = tmp_path / "worker.py"
    program.write_text(killed(WORKER))
    ended = run_both([sys.executable, "-m", "tensordbg", "run", "--out", str(tmp_path / "runs"), str(program)])
    assert ended.codes[1] == -signal.SIGKILL
    found = json.loads(tdbg("why", tmp_path / "runs", "--json"))
    origin = found["origins"][0]
    assert (origin["process"], origin["step"], origin["source"]["line"]) == ("worker 1", 2, line_of(WORKER, "HERE"))
    assert [arrival["process"] for arrival in origin["arrivals"]] == ["worker 0"]
    assert any(note.startswith("worker 1: the program runs still, or was killed") for note in found["notes"])


def test_several_replicas_in_each_worker_and_turns_of_a_loop(tmp_path: Path) -> None:
    program = tmp_path / "replicas.py"
    program.write_text(REPLICAS)
    plain = run_both([sys.executable, str(program)])
    assert plain.codes == [0, 0], plain.err
    command = [sys.executable, "-m", "tensordbg", "run", "--out", str(tmp_path / "runs"), str(program)]
    assert run_both(command).out == plain.out
    found = json.loads(tdbg("why", tmp_path / "runs", "--json"))
    (origin,) = [origin for origin in found["origins"] if origin["consequential"]]
    assert (origin["process"], origin["step"], origin["cause"]) == ("worker 1", 4, "bad_input_data")
    (arrival,) = origin["arrivals"]
    assert (arrival["process"], arrival["step"], arrival["iteration"]) == ("worker 0", 4, 0)
