"""What is exported while, or after, a program is recorded holds nothing of ours."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.functions import originals
from tests import programs
from tests.backends.tensorflow.recorded import record


class Scaled(tf.Module):
    """Calls a function from a function, in a loop."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = tf.Variable([2.0, 3.0])

    @tf.function
    def scale(self, x: tf.Tensor) -> tf.Tensor:
        return x * self.weight

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(2):
            x = self.scale(x)
        return x


def loads_without_us(folder: Path) -> str:
    """What a saved model computes in a process without tensordbg."""
    program = (
        "import sys; sys.modules['tensordbg'] = None\n"
        "import tensorflow as tf\n"
        f"print(tf.saved_model.load({str(folder)!r})(tf.ones(2)).numpy().tolist())\n"
    )
    done = programs.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_saved_model_loads_where_tensordbg_is_not(tmp_path: Path) -> None:
    module = Scaled()

    def program() -> None:
        np.testing.assert_array_equal(module(tf.ones(2)), [4.0, 9.0])
        tf.saved_model.save(module, str(tmp_path / "during"))

    record(tmp_path / "traces", program)
    tf.saved_model.save(module, str(tmp_path / "after"))
    for name in ("during", "after"):
        assert b"ensordbg" not in (tmp_path / name / "saved_model.pb").read_bytes()
        assert loads_without_us(tmp_path / name) == "[4.0, 9.0]\n"


def test_graphs_and_definitions_that_python_shows_are_the_originals(tmp_path: Path) -> None:
    module = Scaled()
    seen: list[bytes] = []

    def program() -> None:
        concrete = module.__call__.get_concrete_function()
        concrete(tf.ones(2))
        seen.append(concrete.graph.as_graph_def().SerializeToString())
        seen.append(concrete.function_def.SerializeToString())

    record(tmp_path, program)
    assert not any(b"ensordbg" in text for text in seen)


def test_a_function_that_is_gone_is_forgotten_with_it() -> None:
    from tensordbg.backends.tensorflow.functions.originals import OriginalFunctions

    originals = OriginalFunctions()
    originals.install()
    function = tf.function(lambda x: x + 1.0)
    kept = function.get_concrete_function(tf.TensorSpec([], tf.float32))._inference_function
    originals.keep(kept)
    name = kept.name
    assert set(originals._kept) == {name}
    del function
    gc.collect()
    # Something of the program still stands for the name.
    assert set(originals._kept) == {name}
    assert originals.function(name) is kept
    del kept
    gc.collect()
    assert originals._kept == {}
    assert originals.function(name) is None


def test_a_function_that_goes_when_modules_are_emptied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    functions = [tf.function(lambda x: x + 1.0)]
    record(tmp_path, lambda: functions[0](tf.constant(1.0)))
    faults: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", faults.append)
    monkeypatch.setattr(originals, "atomic_function", None)
    functions.clear()
    gc.collect()
    assert faults == []
