"""A program that runs TensorFlow 2 as if it were 1: references, Enter and Merge, queues, a monitored training."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rows = tf.constant(np.float32([[1, 2], [3, 4], [0, 0], [5, 6]]))
(row,) = tf.train.slice_input_producer([rows], shuffle=False)
batch = tf.train.batch([row], 2)
length = tf.get_variable("length", [2], initializer=tf.ones_initializer(), use_resource=False)

def turn(k, x):
    return k + 1, x / tf.reduce_sum(x, axis=1, keepdims=True)  # HERE

_, shares = tf.while_loop(lambda k, x: k < 2, turn, [0, batch * length])
loss = tf.reduce_mean(tf.square(shares - 0.3))
train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=tf.train.get_or_create_global_step())
with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(3)]) as session:
    while not session.should_stop():
        print(session.run([loss, train])[0])
"""


def test_the_line_in_a_loop_of_a_monitored_training_is_found(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    tdbg = [sys.executable, "-m", "tensordbg"]
    folder = str(tmp_path / "traces")

    def run(*command: str) -> str:
        return subprocess.run(command, env=quiet, check=True, capture_output=True, text=True).stdout

    plain, recorded = run(sys.executable, str(program)), run(*tdbg, "run", "--out", folder, "--", str(program))
    assert plain == recorded
    answer = json.loads(run(*tdbg, "why", "--json", folder))
    (line,) = [number for number, text in enumerate(PROGRAM.splitlines(), 1) if text.endswith("# HERE")]
    first = answer["origins"][0]
    assert (first["cause"], first["source"]["line"]) == ("division_by_zero", line)
