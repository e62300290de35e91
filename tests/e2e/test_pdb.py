"""A program stopped at a line, in pdb or by an editor: functions that come to it run eagerly, all else is as it was."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests import programs
from tests.cli.conftest import COMMAND
from tests.e2e.test_replay_program import Editor, started

OF_TENSORFLOW = re.compile(r"WARNING: All log messages before absl|[IWE]\d{4} ")
"""What TensorFlow says at its start, at any level, of a processor on which it computes by oneDNN."""
LOSSES = """\
import tensorflow as tf


def entropy(probabilities):
    picked = probabilities[:, 0]
    return -tf.reduce_mean(tf.math.log(picked))
"""
FUNCTIONS = """\
import numpy as np
import tensorflow as tf

from losses import entropy

w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])


@tf.function
def other(x):
    print("other is traced")
    return x * 2


@tf.function(input_signature=[tf.TensorSpec([2, 2], tf.float32)])
def step(x):
    with tf.GradientTape() as tape:
        loss = entropy(tf.nn.softmax(x @ w))
    w.assign_sub(tape.gradient(loss, w))
    for i in tf.range(2):
        if loss > 0:
            loss = turned(loss, i)
    return {"loss": loss, "one": 1.0, "none": None}


def turned(loss, i):
    part = loss * tf.cast(i, tf.float32)
    return part


class Counter(tf.Module):
    def __init__(self):
        self.count = None

    @tf.function
    def add(self, by):
        if self.count is None:
            self.count = tf.Variable(0)
        self.count.assign_add(by)
        return self.count


for k in range(3):
    print(k, step(other(np.full((2, 2), k, np.float32)).numpy().tolist()))
counter = Counter()
print(counter.add(2), counter.add(3))
print(tf.map_fn(lambda each: each * 3, tf.constant([1, 2])))
data = tf.data.Dataset.range(4).map(
    lambda each: each + 1,
    num_parallel_calls=2,
).batch(2).prefetch(1)
print([batch.numpy().tolist() for batch in data])
raise SystemExit(4)
"""
KERAS = """\
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(1)


class Gate(keras.layers.Layer):
    def build(self, shape):
        self.gate = self.add_weight(shape=(shape[-1],), initializer="ones")
        self.drop = keras.layers.Dropout(0.3)

    def call(self, x, training=False):
        x = self.drop(x, training=training)
        return x * self.gate


def loss_of(y, p):
    error = y - p
    return tf.reduce_mean(error * error)


class Custom(keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = loss_of(y, self(x, training=True))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply(gradients, self.trainable_variables)
        return {"loss": loss}


inputs = keras.Input((4,))
outputs = keras.layers.Dense(1)(Gate()(keras.layers.Dense(5, "relu")(inputs)))
x = np.random.RandomState(0).normal(size=(10, 4)).astype("float32")
for kind, steps in ((Custom, 1), (keras.Model, 2)):
    model = kind(inputs, outputs)
    model.compile("adam", loss_of, steps_per_execution=steps)
    print(model.fit(x, x[:, :1], batch_size=5, epochs=2, verbose=0).history)
    print(model.predict(x[:2], verbose=0).tolist())
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stops")
    for name, text in {"losses": LOSSES, "functions": FUNCTIONS, "trained": KERAS}.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def run(folder: Path, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return programs.run(
        words,
        cwd=folder,
        input=typed,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
        capture_output=True,
        check=False,
        text=True,
        timeout=300,
    )


def stopped(folder: Path, program: str, place: str, typed: str = "c\n" * 200) -> subprocess.CompletedProcess[str]:
    return run(folder, *COMMAND, "run", "--pdb", place, program, typed=typed)


def own(printed: str) -> list[str]:
    """What the program itself printed."""
    lines = (re.sub(r"^(\(Pdb\) )+", "", line) for line in printed.splitlines())
    return [line for line in lines if line and not line.startswith(("> ", "-> ", "other is traced"))]


def line_of(text: str, part: str) -> int:
    return 1 + next(number for number, line in enumerate(text.splitlines()) if part in line)


@pytest.fixture(scope="module")
def plain(folder: Path) -> dict[str, subprocess.CompletedProcess[str]]:
    return {name: run(folder, sys.executable, name) for name in ("functions.py", "trained.py")}


def test_pdb_has_the_tensors_of_a_function_and_of_those_that_call_it(folder: Path) -> None:
    typed = "p picked.numpy().tolist()\nn\nup\np x.numpy().tolist()\nc\nq\n"
    done = stopped(folder, "functions.py", "losses.py:6", typed)
    assert done.returncode == 0, done.stderr
    assert "losses.py(6)entropy()\n-> return -tf.reduce_mean(tf.math.log(picked))\n(Pdb) [0.5, 0.5]" in done.stdout
    assert "(Pdb) > " in done.stdout
    assert "(Pdb) [[0.0, 0.0], [0.0, 0.0]]" in done.stdout
    assert done.stdout.count("other is traced") == 1, "what does not come to the line stays compiled"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("part", "stops"),
    [
        ("with tf.GradientTape", 3),
        ("loss = turned", 2),
        ("part = loss", 2),
        ("self.count = tf.Variable", 1),
        ("self.count.assign_add", 2),
        ("lambda each: each * 3", 3),
        ("lambda each: each + 1", 4),
    ],
)
def test_a_program_computes_the_same_and_ends_the_same(
    folder: Path, plain: dict[str, subprocess.CompletedProcess[str]], part: str, stops: int
) -> None:
    done = stopped(folder, "functions.py", str(line_of(FUNCTIONS, part)))
    assert done.returncode == 4, done.stderr
    assert own(done.stdout) == own(plain["functions.py"].stdout)
    assert len(re.findall(r"^-> ", done.stdout, re.MULTILINE)) == stops
    assert "tdbg:" not in done.stderr


@pytest.mark.parametrize(
    ("part", "stops"), [("return x * self.gate", 10), ("error = y - p", 8), ("gradients = tape", 4)]
)
def test_keras_runs_eagerly_what_comes_to_the_line(
    folder: Path, plain: dict[str, subprocess.CompletedProcess[str]], part: str, stops: int
) -> None:
    done = stopped(folder, "trained.py", str(line_of(KERAS, part)))
    assert done.returncode == 0, done.stderr
    assert own(done.stdout) == own(plain["trained.py"].stdout)
    assert len(re.findall(r"^-> ", done.stdout, re.MULTILINE)) == stops


def test_quitting_ends_quietly_also_in_a_function_of_a_dataset(folder: Path) -> None:
    done = stopped(folder, "functions.py", f"{line_of(FUNCTIONS, 'each + 1')} if each == 2", "p each\nq\n")
    assert done.returncode == 0, done.stderr
    assert "numpy=2" in done.stdout
    assert "tdbg:" not in done.stderr
    assert "Traceback" not in done.stderr


def test_what_can_only_run_as_a_graph_is_said(folder: Path) -> None:
    (folder / "concrete.py").write_text(
        "import tensorflow as tf\n\n\n@tf.function\ndef f(x):\n    y = x + 1\n    return y\n\n\n"
        "print(f.get_concrete_function(tf.TensorSpec([]))(tf.constant(1.0)))\n"
    )
    done = stopped(folder, "concrete.py", "6")
    assert (done.returncode, done.stdout) == (0, "tf.Tensor(2.0, shape=(), dtype=float32)\n")
    assert (
        "tdbg: concrete.py:6 was never reached with tensors in hand: it is a part of a concrete function of f(), which "
        "can't run eagerly" in done.stderr
    )


CONCRETE = """
import tensorflow as tf


@tf.function
def f(x):
    y = x + 1
    return y


@tf.function
def g(x):
    z = x * 2
    return z


concrete = f.get_concrete_function(tf.TensorSpec([]))
f(tf.constant(2.0))
print(concrete(tf.constant(1.0)).numpy(), g(tf.constant(1.0)).numpy())
"""
SAVED = """
import tensorflow as tf


class Model(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([])])
    def f(self, x):
        y = x + 1
        return y


tf.saved_model.save(Model(), "saved")
print(tf.saved_model.load("saved").f(tf.constant(1.0)).numpy())
"""


@pytest.mark.parametrize(
    ("program", "lines", "said"),
    [
        (
            CONCRETE,
            ("7", "13"),
            ["program.py:7 was passed without a stop, too: it is a part of a concrete function of f(), which "],
        ),
        (SAVED, ("8",), ["program.py:8 was never reached with tensors in hand: it ran only while a graph was built"]),
    ],
    ids=["concrete", "saved"],
)
def test_runs_of_a_graph_alone_are_said(folder: Path, program: str, lines: tuple[str, ...], said: list[str]) -> None:
    (folder / "program.py").write_text(program)
    places = [word for line in lines for word in ("--pdb", line)]
    done = run(folder, *COMMAND, "run", *places, "program.py", typed="c\nc\n")
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stderr.splitlines() if line.startswith("tdbg: program.py")]
    assert [line[6 : 6 + len(begin)] for line, begin in zip(told, said, strict=True)] == said


def test_a_graph_of_tensorflow_1_is_stopped_where_it_is_built(folder: Path) -> None:
    (folder / "session.py").write_text(
        "import tensorflow.compat.v1 as tf\ntf.disable_eager_execution()\nx = tf.constant(1.0)\ny = x + 1\n"
        "with tf.Session() as session:\n    print(session.run(y))\n"
    )
    done = stopped(folder, "session.py", "4", "p x\nc\n")
    assert done.returncode == 0, done.stderr
    assert "(Pdb) <tf.Tensor 'Const:0' shape=() dtype=float32>\n(Pdb) 2.0\n" in done.stdout


def test_an_editor_attaches_and_has_the_tensors(folder: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with started(folder, "run", "--pdb", "losses.py:6", "--dap", str(port), "functions.py") as program:
        assert program.stderr is not None
        said = next(line for line in program.stderr if not OF_TENSORFLOW.match(line))  # and nothing before it
        assert said == f"tdbg: attach your editor to 127.0.0.1:{port}; the program waits at {folder / 'losses.py'}:6\n"
        editor = Editor(port)
        editor.send("initialize", adapterID="test")
        editor.wait_for(type="response", command="initialize")
        editor.send("attach", justMyCode=True)
        editor.wait_for(type="event", event="initialized")
        editor.send("configurationDone")
        values = []
        for _ in range(3):
            thread = editor.wait_for(type="event", event="stopped")["body"]["threadId"]
            editor.send("stackTrace", threadId=thread)
            frame = editor.wait_for(type="response", command="stackTrace")["body"]["stackFrames"][0]
            assert (frame["name"], frame["line"]) == ("entropy", 6)
            editor.send("evaluate", expression="picked.numpy().tolist()", frameId=frame["id"])
            values.append(editor.wait_for(type="response", command="evaluate")["body"]["result"])
            editor.send("continue", threadId=thread)
        assert values[0] == "[0.5, 0.5]"
        assert len(set(values)) == 3
        editor.close()
