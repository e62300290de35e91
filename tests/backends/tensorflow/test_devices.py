from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import tensorflow as tf

from tensordbg.backends.tensorflow.devices import describe_devices, without_kernel
from tests import programs
from tests.backends.tensorflow.recorded import read, record

DIVIDED = """
import sys
import tensorflow as tf
import tensordbg

with tensordbg.record(sys.argv[1]):
    made = tf.function(lambda x: x + 1.0)
    cpu = tf.config.list_physical_devices("CPU")[0]
    # Refused once the runtime has started.
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    with tf.device("/CPU:1"):
        x = tf.sin(tf.constant([1.0]))
    @tf.function
    def f(x):
        with tf.device("/CPU:1"):
            y = tf.cos(x)
        with tf.device("/GPU:0"):
            return tf.tan(y)
    f(x)
"""


def test_devices_of_this_process(tmp_path: Path) -> None:
    function = tf.function(lambda: tf.constant(1.0))
    record(tmp_path / "first", function)
    trace = record(tmp_path / "trace", function)
    assert trace.reader.facts.devices == tuple(device.name for device in tf.config.list_logical_devices())
    assert trace.reader.facts.without_gpu_kernel == set()
    lines = (trace.reader.path / "facts.jsonl").read_text().splitlines()
    assert len([line for line in lines if line.startswith('{"devices"')]) == 1


def test_program_can_still_divide_its_devices(tmp_path: Path) -> None:
    done = programs.run([sys.executable, "-c", DIVIDED, str(tmp_path / "trace")], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    trace = read(tmp_path / "trace")
    assert trace.reader.facts.devices == ("/device:CPU:0", "/device:CPU:1")
    assert trace.one("Sin").device.endswith("CPU:1")
    assert trace.one("Cos").device.endswith("CPU:1")
    assert trace.site_of(trace.one("Cos")).device.endswith("CPU:1")
    assert trace.one("Tan").device.endswith("CPU:0")
    assert trace.site_of(trace.one("Tan")).device.endswith("GPU:0")


def test_types_of_operations_without_a_kernel() -> None:
    missing = without_kernel("GPU")
    assert "StringLower" in missing
    assert "Identity" not in without_kernel("CPU")
    gpu = SimpleNamespace(name="/device:GPU:0", device_type="GPU")
    described = describe_devices([], [gpu])
    assert described == {"physical": [], "logical": ["/device:GPU:0"], "without_gpu_kernel": missing}
