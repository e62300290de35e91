"""Interpreters of LiteRT (TensorFlow Lite): all tensors of a converted model are recorded, and compared with Keras."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import tensorflow as tf

import tensordbg
from tests.programs import TDBG, run

CONVERT = """
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
layers = keras.layers
model = keras.Sequential([
    keras.Input((8, 8, 3)), layers.Conv2D(4, 3, activation="relu"), layers.Flatten(), layers.Dense(5), layers.Softmax(),
])
model.save("model.keras")
rng = np.random.default_rng(0)
np.save("x.npy", rng.normal(size=(1, 8, 8, 3)).astype("float32"))
samples = [[rng.normal(size=(1, 8, 8, 3)).astype("float32")] for _ in range(20)]

def convert(name, **settings):
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    for key, value in settings.items():
        setattr(converter, key, value)
    open(name, "wb").write(converter.convert())

default = [tf.lite.Optimize.DEFAULT]
convert("float32.tflite")
half = tf.lite.TargetSpec(supported_types=[tf.float16])
convert("float16.tflite", optimizations=default, target_spec=half)
convert("int8.tflite", optimizations=default, representative_dataset=lambda: iter(samples))
"""

KERAS = """
import keras
import numpy as np

model = keras.models.load_model("model.keras")
print(model(np.load("x.npy")).numpy().tolist())
"""

LITE = """
import sys
import numpy as np
import tensorflow as tf

interpreter = tf.lite.Interpreter(model_path=sys.argv[1])
x = np.load("x.npy") * float(sys.argv[3])
if sys.argv[2] == "signature":
    print(interpreter.get_signature_runner()(keras_tensor=x)["output_0"].tolist())
else:
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
    for _ in range(2):
        interpreter.invoke()
        print(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).tolist())
"""


def said(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    done: subprocess.CompletedProcess[str] = run(words, cwd=folder, capture_output=True, text=True, timeout=300)
    return done


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lite")
    for name, text in {"convert": CONVERT, "reference": KERAS, "lite": LITE}.items():
        (folder / f"{name}.py").write_text(text)
    if tf.__version__.startswith("2.16."):
        pytest.skip("the converter of TensorFlow 2.16 ends the process on models of a Keras of today")
    converted = said(folder, sys.executable, "convert.py")
    assert converted.returncode == 0, converted.stderr[-2000:]
    assert said(folder, TDBG, "run", "--out", "keras", "reference.py").returncode == 0
    for name, words in {
        "float32": ("float32.tflite", "invoke", "1"),
        "signature": ("float32.tflite", "signature", "1"),
        "float16": ("float16.tflite", "invoke", "1"),
        "int8": ("int8.tflite", "invoke", "1"),
        "other": ("float32.tflite", "invoke", "2"),
    }.items():
        recorded = said(folder, TDBG, "run", "--out", name, "lite.py", *words)
        assert recorded.returncode == 0, recorded.stderr
        assert recorded.stdout == said(folder, sys.executable, "lite.py", *words).stdout  # the numbers stay as they are
    return folder


def compared(runs: Path, name: str, *words: str) -> tuple[int, dict[str, object]]:
    done = said(runs, TDBG, "diff", "keras", name, "--step", "0", "--json", *words)
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize(("name", "words"), [
    ("float32", ()), ("signature", ()), ("float16", ("--tolerance", "2e-3")), ("int8", ("--tolerance", "0.1")),
])  # fmt: skip
def test_a_converted_model_is_the_same_as_its_source(runs: Path, name: str, words: tuple[str, ...]) -> None:
    code, told = compared(runs, name, *words)
    assert (code, told["status"]) == (0, "same"), told
    assert int(str(told["matched"])) >= 4


def test_other_inputs_are_found(runs: Path) -> None:
    code, told = compared(runs, "other")
    assert (code, told["status"]) == (1, "diverged")


def test_all_tensors_with_their_names_types_and_parameters(runs: Path) -> None:
    trace = tensordbg.open(runs / "int8")
    sites = trace.table("sites").to_pylist()
    types = [site["op_type"] for site in sites]
    assert {"Input", "Parameter", "Conv2D", "MatMul", "Softmax", "QUANTIZE", "DEQUANTIZE"} <= set(types)
    assert [site["name"] for site in sites if site["op_type"] == "Input"] == ["serving_default_keras_tensor"]
    tensors = trace.table("tensors").to_pylist()
    convolutions = [row for row in tensors if types[row["site"] - sites[0]["site"]] == "Conv2D"]
    assert [(row["step"], row["dtype"], row["shape"]) for row in convolutions] == [
        (0, "float32", "[1, 6, 6, 4]"),
        (1, "float32", "[1, 6, 6, 4]"),
    ]
