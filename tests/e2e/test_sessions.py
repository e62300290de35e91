"""A TensorFlow 1 program under `tdbg run` sees, computes and saves what it does without."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tensordbg.trace.reader import open_trace

PROGRAM = """
import glob, hashlib, json, sys
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder, by_resource = sys.argv[1], sys.argv[2] == "resources"
seen = {}

def bits(values):
    return [None if value is None else np.asarray(value).tobytes().hex() for value in values]

def digest(pattern):
    (name,) = glob.glob(folder + pattern)
    return hashlib.sha256(open(name, "rb").read()).hexdigest()

tf.set_random_seed(5)
x = tf.placeholder(tf.float32, [None, 4], name="x")
with tf.variable_scope("net", use_resource=by_resource):
    w = tf.get_variable("w", [4, 8], initializer=tf.random_normal_initializer())
    b = tf.get_variable("b", [8], initializer=tf.zeros_initializer())
    count = tf.get_variable("count", [], initializer=tf.zeros_initializer(), trainable=False)
hidden = tf.nn.dropout(tf.nn.relu(tf.matmul(x, w) + b), rate=0.3)
noise = tf.random_uniform([8])
loss = tf.reduce_mean(tf.log(tf.nn.sigmoid(hidden + noise)))
step = tf.train.get_or_create_global_step()
train = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=step)
# Turns side by side would draw their numbers in any order.
_, total = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t + tf.random_normal([])), [0, 0.0], None, 1)
with tf.control_dependencies([tf.assign_add(count, 1.0)]):
    after = count.read_value() + 0.0
init, saver = tf.global_variables_initializer(), tf.train.Saver()
tf.summary.scalar("loss", loss)
merged = tf.summary.merge_all()
graph = tf.get_default_graph()

with tf.Session() as session:
    writer = tf.summary.FileWriter(folder + "/log", session.graph)
    session.run(init)
    for turn in range(5):
        given = {x: np.random.RandomState(turn).randn(3, 4)}
        results = session.run([loss, train, noise, step, after, total, merged], given)
        seen["turn%d" % turn] = bits(results[:-1])
        writer.add_summary(results[-1], turn)
    writer.close()
    saver.save(session, folder + "/model")
    seen["variables"] = digest("/model.data*")
    seen["saved"] = bits(session.run([w, b]))
    session.run(init)
    saver.restore(session, folder + "/model")
    seen["restored"] = bits(session.run([w, b]))
    seen["called"] = bits(session.make_callable([loss, noise], [x])(np.ones((1, 4))))
    seen["devices"] = [device.name for device in session.list_devices()]
    tf.saved_model.simple_save(session, folder + "/exported", {"x": x}, {"loss": loss})

(events,) = glob.glob(folder + "/log/*")
records = [tf.Event.FromString(record) for record in tf.python_io.tf_record_iterator(events)]
seen["summaries"] = [value.simple_value for record in records for value in record.summary.value]
graphs = [tf.GraphDef.FromString(record.graph_def) for record in records if record.graph_def]
seen["graphs in the log"] = [hashlib.sha256(each.SerializeToString(deterministic=True)).hexdigest() for each in graphs]
seen["meta graph"] = digest("/model.meta")
seen["exported"] = digest("/exported/saved_model.pb")
seen["graph"] = hashlib.sha256(graph.as_graph_def().SerializeToString(deterministic=True)).hexdigest()
seen["operations"] = graph.version
print(json.dumps(seen))
"""


def result_of(command: list[str], folder: Path, kind: str) -> dict[str, Any]:
    """What the program printed."""
    folder.mkdir()
    done = subprocess.run([*command, str(folder), kind], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return seen


@pytest.mark.parametrize("kind", ["resources", "references"])
def test_a_program_sees_nothing_of_us(tmp_path: Path, kind: str) -> None:
    script = tmp_path / "train.py"
    script.write_text(PROGRAM)
    plain = result_of([sys.executable, str(script)], tmp_path / "plain", kind)
    tdbg = [str(Path(sys.executable).parent / "tdbg"), "run", "--out", str(tmp_path / "traces"), str(script)]
    assert result_of(tdbg, tmp_path / "recorded", kind) == plain
    (trace,) = (tmp_path / "traces").iterdir()
    assert open_trace(trace).tensor_count > 300
