"""Where operations ran and were to run: with real virtual devices, and in a trace that says there was a GPU."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import tensordbg
from tensordbg.analysis.tensors.show import history_of
from tensordbg.trace.reader import open_trace
from tensordbg.wire.why import why_to_json
from tests import programs

PROGRAM = """
import sys
import tensorflow as tf
import tensordbg

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)

@tf.function
def f(x):
    with tf.device("/CPU:1"):
        y = tf.matmul(x, x)  # ASKED
    return tf.tanh(y)

with tensordbg.record(sys.argv[1]):
    f(tf.ones([2, 2]))
    with tf.device("/CPU:1"):
        tf.sin(tf.ones([2]))
    tf.cos(tf.ones([2]))
"""


def recorded(folder: Path) -> Path:
    program = folder / "program.py"
    program.write_text(PROGRAM)
    programs.run([sys.executable, str(program), str(folder / "trace")], capture_output=True, check=True)
    return open_trace(folder / "trace").path


def alerts(trace: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = why_to_json(tensordbg.why(trace))["alerts"]
    return found


def placed(trace: Path, name: str) -> tuple[str, str]:
    """Where a tensor was computed and where it was to be, by the last part of the device's name."""
    (point,) = history_of(open_trace(trace), name).points
    return point.device.rpartition("/")[2], point.asked.rpartition("/")[2]


def test_given_and_asked(tmp_path: Path) -> None:
    trace = recorded(tmp_path)
    assert placed(trace, "MatMul") == ("device:CPU:1", "device:CPU:1")
    assert placed(trace, "Tanh") == ("device:CPU:0", "")
    assert placed(trace, "Sin") == ("device:CPU:1", "device:CPU:1")
    assert placed(trace, "Cos") == ("device:CPU:0", "")
    listing = tensordbg.open(trace).tensors(device="CPU:1")
    assert {"MatMul", "Sin"} <= {row.op_name for row in listing.rows}
    assert "Cos" not in {row.op_name for row in listing.rows}
    assert alerts(trace) == []


def test_next_to_a_gpu_it_is_an_alert(tmp_path: Path) -> None:
    trace = recorded(tmp_path)
    fact = {"devices": {"physical": [], "logical": ["/device:CPU:0", "/device:CPU:1", "/device:GPU:0"]}}
    with (trace / "facts.jsonl").open("a") as facts:
        facts.write(json.dumps(fact) + "\n")
    found = {alert["tensor"]: alert for alert in alerts(trace)}
    # Of the rest of the function it can't be told, as nothing in it ran on the GPU.
    assert {"MatMul:0", "Sin:0", "Cos:0"} <= set(found)
    assert "Tanh:0" not in found
    line = PROGRAM[: PROGRAM.index("# ASKED")].count("\n") + 1
    assert (found["MatMul:0"]["source"]["line"], found["MatMul:0"]["evidence"]["reason"]) == (
        line,
        "the program asked for it",
    )
    assert found["Sin:0"]["evidence"]["reason"] == "the program asked for it"
    assert found["Cos:0"]["evidence"]["reason"] == "nothing in the program asks for it"


ACROSS = """
import sys
import tensorflow as tf
import tensordbg

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
tf.debugging.set_log_device_placement(True)
with tf.device("/CPU:1"):
    v = tf.Variable([1.0, 2.0])
    far = tf.Variable([3.0, 4.0]).read_value()
    given = [tf.constant([5.0, 6.0]), tf.constant([0, 1]), tf.constant(["a", "b"]), tf.constant([True])]

@tf.function
def inner(number):
    return number * 3.0

@tf.function
def f(numbers, ids, names, flags):
    total = tf.zeros([2])
    for _ in tf.range(2):
        total = total + inner(numbers)
    with tf.device("/CPU:1"):
        upper = tf.strings.upper(names)
    return total + far, upper, tf.gather(v, ids), v * 2.0, flags

def run():
    return f(*given)

if len(sys.argv) > 1:
    with tensordbg.record(sys.argv[1]):
        run()
else:
    run()
"""


def across(folder: Path, *trace: str) -> list[str]:
    """Where TensorFlow says that it places the operations and arguments of the program's functions."""
    program = folder / "across.py"
    program.write_text(ACROSS)
    done = programs.run([sys.executable, str(program), *trace], capture_output=True, check=True, text=True)
    said = done.stdout + done.stderr
    placed = sorted(line for line in said.splitlines() if re.match(r"\S+: \(\w+\): /job", line))
    ours = [line for line in placed if "(Tensordbg" in line or "tdbg_" in line.partition(":")[0]]
    return [line for line in placed if line not in ours]


def test_what_a_function_is_given_is_shown_where_it_lies_and_nothing_is_moved(tmp_path: Path) -> None:
    plain = across(tmp_path)
    observed = across(tmp_path, str(tmp_path / "trace"))
    assert plain == observed
    trace = open_trace(tmp_path / "trace")
    for name in ("numbers", "ids", "names", "flags", "add_1/y"):
        device = history_of(trace, name, function="f").points[0].device
        assert f"{name.replace('/', '_')}: (_Arg): {device}" in plain, name
    # Whole numbers and strings are handed over by way of the first CPU.
    assert [placed(trace.path, name)[0] for name in ("numbers", "ids")] == ["device:CPU:1", "device:CPU:0"]
    for read in ("Gather", "ReadVariableOp"):
        assert placed(trace.path, read)[0] == "device:CPU:1", read
    assert placed(trace.path, "add_1")[0] == "device:CPU:0"


MIRRORED = """
import sys
import keras
import numpy as np
import tensorflow as tf
import tensordbg

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
keras.utils.set_random_seed(1)
with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
    model = keras.Sequential([keras.layers.Input([3]), keras.layers.Dense(2, name="hidden"), keras.layers.Dense(1)])
    model.compile("adam", "mse")
x, y = np.arange(24, dtype="float32").reshape(8, 3) / 24, np.ones([8, 1])
if len(sys.argv) > 1:
    with tensordbg.record(sys.argv[1]):
        print(model.fit(x, y, batch_size=4, verbose=0).history)
else:
    print(model.fit(x, y, batch_size=4, verbose=0).history)
"""


def test_of_replicas_each_variable_is_read_on_its_own_device(tmp_path: Path) -> None:
    program = tmp_path / "mirrored.py"
    program.write_text(MIRRORED)
    command = [sys.executable, str(program)]
    runs = [
        programs.run([*command, *more], capture_output=True, check=True) for more in ([], [str(tmp_path / "trace")])
    ]
    assert runs[0].stdout == runs[1].stdout
    trace = open_trace(tmp_path / "trace")
    kernel = "sequential_1/hidden_1/Cast/ReadVariableOp"
    for name, device in ((kernel, "CPU:0"), (f"replica_1/{kernel}", "CPU:1")):
        points = history_of(trace, name).points
        assert {point.device.rpartition("device:")[2] for point in points} == {device}
        assert len(points) == 2
