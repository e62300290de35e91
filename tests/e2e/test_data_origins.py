"""One bad sample in a shuffled pipeline, as Keras `fit` and as a loop: the trap names it, and its file."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tensordbg.capture.reader import list_captures, open_capture
from tests import programs
from tests.cli.conftest import COMMAND

DATA = """
import keras
import numpy as np
import tensorflow as tf

from tensordbg.tensorflow import trace_data

keras.utils.set_random_seed(0)
random = np.random.RandomState(0)
for part in range(4):
    x = random.normal(size=(100, 4)).astype(np.float32)
    if part == 2:
        x[41] *= 1e4  # one sample of another kind
    with tf.io.TFRecordWriter(f"part-{part}.tfrecord") as file:
        for row in x:
            file.write(row.tobytes())


def decoded(record):
    return tf.reshape(tf.io.decode_raw(record, tf.float32), [4]), tf.constant([0])


def entropy(labels, probabilities):
    wanted = tf.one_hot(tf.cast(labels[:, 0], tf.int32), 3)
    return -tf.reduce_mean(wanted * tf.math.log(probabilities))


files = trace_data(tf.data.Dataset.from_tensor_slices([f"part-{i}.tfrecord" for i in range(4)]))
data = files.interleave(tf.data.TFRecordDataset, cycle_length=4).map(decoded, num_parallel_calls=2)
data = data.shuffle(400).batch(16).repeat(3).prefetch(4)
model = keras.Sequential([keras.layers.Dense(16, activation="relu"), keras.layers.Dense(3, activation="softmax")])
"""
WAYS = {
    "fit": """
model.compile(optimizer="adam", loss=entropy, jit_compile=False)
model.fit(data, verbose=0)
""",
    "loop": """
model.build((None, 4))
optimizer = keras.optimizers.Adam()
optimizer.build(model.trainable_variables)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = entropy(y, model(x, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


for x, y in data:
    step(x, y)
""",
}
DYING = """
import tensorflow as tf

from tensordbg.tensorflow import trace_data

for name, text in (("good", b"1.5"), ("bad", b"no number"), ("late", b"2.5")):
    open(f"{name}.txt", "wb").write(text)
with tf.io.TFRecordWriter("whole.tfrecord") as file:
    for _ in range(3):
        file.write(b"record")
with open("whole.tfrecord", "rb") as file:
    whole = file.read()
open("cut.tfrecord", "wb").write(whole[:-5])


def load(name):
    return tf.strings.to_number(tf.io.read_file(name))
"""


def run(folder: Path, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(program)
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [*COMMAND, *words, "train.py"]
    return programs.run(command, cwd=folder, env=environment, capture_output=True, check=False, text=True)


@pytest.mark.parametrize("way", WAYS)
def test_the_sample_that_did_it_is_named(way: str, tmp_path: Path) -> None:
    done = run(tmp_path, DATA + WAYS[way], "trap")
    assert done.returncode == 3, done.stderr
    (path,) = list_captures(tmp_path / "captures")
    origins = open_capture(path).header.origins
    assert len(origins) == len(set(origins)) == 16
    assert f"captured in {path}; its batch came from {origins[0]}, {origins[1]} and 14 more" in done.stderr
    row = origins.index("part-2.tfrecord record 41")
    assert f"tdbg: row {row} of 16 goes wrong alone, and none of the others does" in done.stderr
    assert f"tdbg: row {row} came from part-2.tfrecord record 41" in done.stderr


@pytest.mark.parametrize(
    ("pipeline", "said"),
    [
        (
            "trace_data(tf.data.Dataset.from_tensor_slices(['good.txt', 'bad.txt', 'late.txt'])).map(load).batch(2)",
            "the input pipeline was at bad.txt in load()",
        ),
        (
            "trace_data(tf.data.TFRecordDataset(['whole.tfrecord', 'cut.tfrecord'])).batch(9)",
            "the input pipeline was reading cut.tfrecord, which is damaged",
        ),
    ],
)
def test_a_pipeline_that_dies_names_the_file(pipeline: str, said: str, tmp_path: Path) -> None:
    done = run(tmp_path, f"{DYING}\nfor each in {pipeline}:\n    pass\n", "trap", "--no-replay")
    assert done.returncode == 1
    assert f"tdbg: {said}" in done.stderr
    assert done.stderr.count("the input pipeline was") == 1


def test_a_pipeline_that_hangs_names_the_file(tmp_path: Path) -> None:
    hanging = """
import time

from tensordbg.backends.tensorflow.data_origins import notes

notes.PATIENCE = 1.0


def load(name):
    return tf.py_function(lambda name: time.sleep(4.0 * (name.numpy() == b"bad.txt")) or 0.0, [name], tf.float32)


for each in trace_data(tf.data.Dataset.from_tensor_slices(["good.txt", "bad.txt"])).map(load):
    pass
"""
    done = run(tmp_path, f"{DYING}{hanging}", "trap", "--no-replay")
    assert done.returncode == 0, done.stderr
    assert "tdbg: the input pipeline has been at bad.txt in load() for" in done.stderr
    assert "good.txt" not in done.stderr
