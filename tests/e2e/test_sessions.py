"""A TensorFlow 1 program under `tdbg run` sees, computes and saves what it does without.

A check ends it where TensorFlow's own does.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tensordbg.trace.reader import open_trace
from tests import programs

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
    done = programs.run([*command, str(folder), kind], capture_output=True, text=True, check=False)
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
    assert result_of([*tdbg[:2], "--check", str(script)], tmp_path / "checked", kind) == plain


CHECKED = """
import json, re, sys
import numpy as np
import tensorflow.compat.v1 as tf

if "loops" not in sys.argv:
    tf.disable_v2_behavior()
else:
    tf.disable_eager_execution()
if "own" in sys.argv:
    tf.debugging.enable_check_numerics()

def training(x):
    weight = tf.get_variable("weight", [2, 1], initializer=tf.ones_initializer(), use_resource=True)
    loss = tf.reduce_mean(tf.log(tf.matmul(x, weight)))
    return [tf.train.AdamOptimizer().minimize(loss), loss]

def clipped(x):
    weight = tf.get_variable("weight", [2, 1], initializer=tf.ones_initializer(), use_resource=True)
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    gradients, variables = zip(*optimizer.compute_gradients(tf.reduce_sum(tf.sqrt(tf.matmul(x, weight)))))
    return optimizer.apply_gradients(zip(tf.clip_by_global_norm(gradients, 1.0)[0], variables))

def loop(x):
    return tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, tf.log(y)), [0, x + 20.0])[1]

PROGRAMS = {
    "log": lambda x: tf.reduce_sum(tf.log(x) * 2.0),
    "chain": lambda x: tf.reduce_sum(tf.sqrt(tf.log(x))),
    "division": lambda x: x / tf.reduce_sum(x),
    "overflow": lambda x: tf.exp(x * 1e3 + 1e3),
    "squares": lambda x: tf.square(x * 1e30 + 1e30),
    "softmax": lambda x: tf.nn.softmax_cross_entropy_with_logits(labels=x, logits=tf.log(tf.nn.softmax(x * 1e4))),
    "branch": lambda x: tf.cond(tf.reduce_sum(x) > -1.0, lambda: tf.rsqrt(x), lambda: tf.log(x)),
    "half": lambda x: tf.cast(x + 1e6, tf.float16) * 2.0,
    "training": training,
    "clipped": clipped,
    "loop": loop,
    "constant": lambda x: x + tf.log(tf.constant(0.0)),
}
blamed = {}
for name, program in PROGRAMS.items():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        fetched = program(x)
        session.run(tf.global_variables_initializer())
        try:
            session.run(fetched, {x: np.zeros([2, 2])})
        except tf.errors.InvalidArgumentError as error:
            blamed[name] = re.search('graph op "([^"]*)"', error.message)[1]
print(json.dumps(blamed))
if "fail" in sys.argv:
    with tf.Session() as session:
        session.run(tf.log(tf.placeholder_with_default(0.0, [])))  # HERE
"""


@pytest.mark.parametrize("version", ["plain", "loops"])
def test_a_check_blames_what_tensorflows_own_blames(tmp_path: Path, version: str) -> None:
    script = tmp_path / "program.py"
    script.write_text(CHECKED)
    own = programs.run([sys.executable, str(script), "own", version], capture_output=True, text=True, check=False)
    assert own.returncode == 0, own.stderr
    expected = json.loads(own.stdout.splitlines()[-1])
    assert len(expected) > 10
    tdbg = str(Path(sys.executable).parent / "tdbg")
    ours = programs.run(
        [tdbg, "run", "--check", str(script), "fail", version], capture_output=True, text=True, check=False
    )
    blamed = json.loads(ours.stdout.splitlines()[-1])
    # A gradient at 0 is infinite whatever the forward pass gave: either may be met first.
    assert {blamed.pop("training"), expected.pop("training")} <= {"Log", "Reciprocal"}
    assert blamed == expected
    assert ours.returncode == 1
    message, place, hint = ours.stderr.splitlines()[-3:]
    assert message == 'tdbg: Infinity or NaN in output 0 of graph op "Log" (# of outputs: 1): 1 -Inf'
    assert place.endswith("<module>: session.run(tf.log(tf.placeholder_with_default(0.0, [])))  # HERE")
    assert "let it pass with" in hint
