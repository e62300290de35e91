"""Where operations ran and were to run: with real virtual devices, and in a trace that says there was a GPU."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import tensordbg
from tensordbg.analysis.show import history_of
from tensordbg.trace.reader import open_trace
from tensordbg.wire.why import why_to_json

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
    subprocess.run([sys.executable, str(program), str(folder / "trace")], capture_output=True, check=True)
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
