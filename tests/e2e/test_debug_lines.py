"""`tdbg debug` stops before the first operation of any program, and at lines: in eager code, functions and datasets."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import programs
from tests.e2e.test_debug import QUIET, TDBG

EAGER = """
import tensorflow as tf
x = tf.constant([1.0, 2.0, 3.0])
for i in range(3):
    y = tf.reduce_mean(
        tf.square(x + i))
    z = tf.math.log(y)
print("result", z.numpy())
"""

GRAPH = """
import tensorflow as tf

def halve(x):
    y = x / 2.0
    return y

@tf.function
def step(x, n):
    loss = tf.reduce_sum(x * x)
    while n > 0:
        loss = loss * 2.0
        n -= 1
    out = tf.math.log(halve(loss))
    return out

for value in (1.0, 3.0):
    print("result", step(tf.constant([value, 2.0]), tf.constant(2)).numpy())
"""

DATA = """
import tensorflow as tf

def scaled(x):
    y = tf.cast(x, tf.float32) * 2.0
    return y - 3.0

dataset = tf.data.Dataset.range(5).map(scaled, num_parallel_calls=2).batch(2)
for batch in dataset:
    print("result", batch.numpy())
"""

BRANCHES = """
import tensorflow as tf

@tf.function
def collatz(n):
    while n > 1:
        if n % 2 == 0:
            n //= 2
        else: n = 3 * n + 1
    return n

print("result", collatz(tf.constant(6)).numpy())
"""

KERAS = """
import keras
import numpy as np

keras.utils.set_random_seed(1)

class Scaled(keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=(shape[-1],), initializer="ones")

    def call(self, x):
        y = x * self.scale
        return keras.ops.relu(y)

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8), Scaled(), keras.layers.Dense(1)])
model.compile("adam", "mse")
x = np.random.rand(64, 4).astype("float32")
model.fit(x, x.sum(1), batch_size=16, verbose=0)
print("result", model.predict(x, verbose=0).sum())
"""

SESSION = """
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None])
y = tf.exp(x)
with tf.Session() as session:
    for k in range(2):
        print("result", session.run(y, {x: [1.0, float(k)]}))
"""

SESSION_LINES = """
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

def layer(x, w):
    h = tf.matmul(x, w) + 1.0
    return tf.nn.relu(h)

x = tf.placeholder(tf.float32, [None, 2], name="x")
w = tf.get_variable("w", initializer=[[1.0], [2.0]])
loss = tf.reduce_sum(layer(x, w))
_, grown = tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, v * 2.0), [0, loss])
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
unused = tf.constant([1.0]) * 2.0
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for k in range(3):
        print("result", session.run([grown, train], {x: [[1.0, float(k)]]})[0])
    print("result", session.run(unused))
"""

SWITCHED = """
import tensorflow as tf

@tf.function(autograph=False)
def old(x):
    y = x * 2.0
    off, on = tf.raw_ops.Switch(data=y, pred=tf.reduce_sum(y) > 1.0)
    return tf.raw_ops.Merge(inputs=[off, tf.exp(on)])[0]

print("result", old(tf.constant([1.0, 2.0])).numpy())
"""

MIXED = """
import tensorflow as tf

@tf.function
def inner(x):
    return tf.sqrt(x)

y = inner(tf.constant(4.0))
for k in range(2):
    y = tf.exp(y)
    z = tf.sin(y)
print("result", z.numpy())
"""

CALLED = """
import tensorflow as tf

w = tf.Variable([[0.5]])

def dense(x):
    y = x @ w
    return tf.nn.relu(y)

@tf.function
def net(inputs):
    return dense(inputs) * 2.0

for i in range(3):
    print("result", net(tf.constant([[float(i)]])).numpy())
"""

LOOPS = """
import tensorflow as tf

def total(xs):
    s = tf.constant(0.0)
    for i in range(3):
        s = s + xs[i]
    return s

@tf.function
def rows(xs):
    s = tf.constant(0.0)
    for x in xs:
        s = s + x
    for i in tf.range(3):
        s = s - 1.0
    return s

@tf.function
def elements(dataset):
    s = tf.constant(0.0)
    for x, y in dataset:
        if s > 90.0:
            break
        s += x * y
    return s

xs = tf.constant([1.0, -2.0, 3.0])
print("result", total(xs).numpy(), rows(xs).numpy())
print("result", elements(tf.data.Dataset.from_tensor_slices((xs, -xs))).numpy())
"""

ROWS = """
import tensorflow as tf

def rows():
    for k in range(2):
        yield tf.ones([2]) * k
        yield tf.ones([2]) + 5.0

def numbers():
    for n in range(2):
        yield n

for row in rows():
    print("result", row.numpy().sum())
data = tf.data.Dataset.from_generator(rows, output_signature=tf.TensorSpec([2], tf.float32))
print("result", sum(row.numpy().sum() for row in data), sum(numbers()))
"""

BRANCH = """\
import tensorflow as tf


@tf.function
def steps(n):
    while n > 1:
        if n % 2 == 0: n //= 2
        else: n = 3 * n + 1
    return n


print("result", steps(tf.constant(6)).numpy())
"""

PROGRAMS = {
    "branch": BRANCH,
    "rows": ROWS,
    "loops": LOOPS,
    "called": CALLED,
    "mixed": MIXED,
    "switched": SWITCHED,
    "eager": EAGER,
    "graph": GRAPH,
    "branches": BRANCHES,
    "data": DATA,
    "fitted": KERAS,
    "session": SESSION,
    "session_lines": SESSION_LINES,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in PROGRAMS.items():
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


def debug(folder: Path, name: str, script: str, *breaks: str) -> subprocess.CompletedProcess[str]:
    given = [word for each in breaks for word in ("--break", each)]
    command = [TDBG, "debug", "--out", "traces", *given, "-c", script, f"{name}.py"]
    return programs.run(command, capture_output=True, text=True, check=False, env=QUIET, cwd=folder)


def stops(said: str) -> list[str]:
    return re.findall(r"^((?:op|run|line)-\w+: .*|The program has ended\.)$", said, re.MULTILINE)


def results(said: str) -> list[str]:
    return [line for line in said.splitlines() if line.startswith("result")]


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("eager", "op-start: AddV2"),
        ("data", "op-start: RangeDataset"),
        ("fitted", "op-start: "),
        ("graph", "run-start: run #1: step(x, n)"),
        ("session", "run-start: run #1: Session.run(Exp)"),
    ],
)
def test_it_stops_before_the_first_operation_and_the_numbers_stay(folder: Path, name: str, first: str) -> None:
    plain = programs.run(
        [sys.executable, f"{name}.py"], capture_output=True, text=True, check=True, env=QUIET, cwd=folder
    )
    done = debug(folder, name, "continue")
    assert done.returncode == plain.returncode == 0, done.stderr
    assert stops(done.stdout)[0].startswith(first) and len(stops(done.stdout)) == 2
    assert results(done.stdout) == results(plain.stdout) != []
    # Nothing has been printed before.
    assert done.stdout.index(first) < done.stdout.index("result")


def test_an_eager_line_shows_its_inputs_and_then_what_it_computed(folder: Path) -> None:
    script = "ri; step; ri; continue; continue; continue; continue"
    done = debug(folder, "eager", script, "eager.py:6", "eager.py:7 if i > 1")
    assert done.returncode == 0, done.stderr
    assert stops(done.stdout) == [
        *("op-start: AddV2", "op-start: AddV2", "op-end: AddV2", "op-end: AddV2", "op-start: AddV2"),
        *("op-start: AddV2", "op-start: Log"),
        "The program has ended.",
    ]
    assert re.search(r"^Inputs:\n  i  int64\[\]     0\n  x  float32\[3\]  \[1., 2., 3.\]$", done.stdout, re.MULTILINE)
    assert re.search(r"^Outputs:\n  y  float32\[\]  4.66\d+$", done.stdout, re.MULTILINE)


def test_steps_lead_from_line_to_line(folder: Path) -> None:
    done = debug(folder, "eager", "step; step; step; step; ri; continue")
    assert stops(done.stdout)[:5] == [
        "op-start: AddV2",
        "op-end: AddV2",
        "op-start: Log",
        "op-end: Log",
        "op-start: AddV2",
    ]
    assert re.search(r"^  i  int64\[\]     1$", done.stdout, re.MULTILINE)
    assert done.returncode == 0


def test_a_condition_on_what_the_line_computes_is_looked_at_behind_it(folder: Path) -> None:
    done = debug(folder, "eager", "continue; ri; continue", "eager.py:7 if z > 2.5")
    assert stops(done.stdout) == ["op-start: AddV2", "op-end: Log", "op-end: Log", "The program has ended."]
    assert re.search(r"^  z  float32\[\]  2.8\d+$", done.stdout, re.MULTILINE)


def test_a_condition_knows_the_parameters_of_a_function_that_the_traced_one_calls(folder: Path) -> None:
    done = debug(folder, "called", "continue; ri; continue", "called.py:7 if x[0, 0] > 1")
    assert done.returncode == 0, done.stderr
    assert stops(done.stdout)[1:] == ["op-start: matmul/ReadVariableOp in net, run #3"] * 2 + ["The program has ended."]
    assert re.search(r"^  x \(inputs:0\)  float32\[1, 1\]  \[\[2.\]\]$", done.stdout, re.MULTILINE)


def test_a_line_in_a_function_stops_where_the_graph_runs_it(folder: Path) -> None:
    script = "continue; ri; step; ri; lt; continue; continue"
    done = debug(folder, "graph", script, "graph.py:12 if loss > 20", "halve.py:5", "graph.py:14 if loss < 21")
    assert done.returncode == 0, done.stderr
    assert stops(done.stdout) == [
        "run-start: run #1: step(x, n)",
        "op-start: truediv in step, run #1",
        "op-start: truediv in step, run #1",
        "op-end: Log in step, run #1",
        "op-end: Log in step, run #1",
        "op-start: while/mul in step, iteration 1, run #2",
        "The program has ended.",
    ]
    assert re.search(r"^  loss \(while:2\)  float32\[\]  20\.$", done.stdout, re.MULTILINE)
    assert re.search(r"^  out \(Log:0\)  float32\[\]  2\.302585\d*$", done.stdout, re.MULTILINE)
    # What was computed until then, and nothing of what comes later.
    listed = done.stdout.partition("tensors of run 1:")[2].partition("tdbg>")[0]
    assert "while/mul:0" in listed and "Log:0" in listed and "Identity" not in listed
    assert results(done.stdout) == ["result 2.3025851", "result 3.2580965"]


def test_a_line_with_its_branch_stops_once_in_each_iteration(folder: Path) -> None:
    done = debug(folder, "branch", "continue; continue; continue; clear all; continue", "branch.py:7")
    expected = [f"op-start: while/mod in steps, iteration {number}, run #1" for number in range(3)]
    assert stops(done.stdout)[1:4] == expected, done.stderr


def test_a_line_of_a_function_that_others_call(folder: Path) -> None:
    done = debug(
        folder, "graph", "run; break graph.py:5; break graph.py:18; continue; continue; ri; step; ri; run; continue"
    )
    assert stops(done.stdout)[:7] == [
        "run-start: run #1: step(x, n)",
        "run-end: run #1: step(x, n)",
        "op-start: step",
        "op-start: truediv in step, run #2",
        "op-start: truediv in step, run #2",
        "op-end: truediv in step, run #2",
        "op-end: truediv in step, run #2",
    ]
    assert "run-end: run #2: step(x, n)" in stops(done.stdout)
    assert "  while:2  float32[]  52." in done.stdout and "  y (truediv:0)  float32[]  26." in done.stdout
    assert done.returncode == 0, done.stderr


def test_a_step_that_met_another_stop_is_over_where_the_program_goes_on(folder: Path) -> None:
    breaks = ("branches.py:7 if n > 4", "branches.py:8 if n > 4")
    done = debug(folder, "branches", "continue; step; continue; continue; continue", *breaks)
    assert stops(done.stdout)[1:] == [
        "op-start: while/mod in collatz, iteration 0, run #1",
        "op-start: while/cond/floordiv in collatz, iteration 0, run #1",
        "op-start: while/mod in collatz, iteration 2, run #1",
        "op-start: while/cond/floordiv in collatz, iteration 2, run #1",
        "op-start: while/mod in collatz, iteration 3, run #1",
    ]


def test_a_line_given_to_a_dataset_stops_in_the_thread_that_runs_it(folder: Path) -> None:
    done = debug(folder, "data", "continue; ri; step; ri; continue", "data.py:5 if x == 3")
    assert done.returncode == 0, done.stderr
    said = stops(done.stdout)
    assert said[1] == "op-start: Cast in scaled" and said[3] == "op-end: mul in scaled"
    assert "  x (args_0:0)  int64[]  3" in done.stdout and "  y (mul:0)  float32[]  6." in done.stdout
    assert results(done.stdout)[-1] == "result [5.]"


def test_the_line_of_a_for_stops_in_each_turn_with_its_state_and_target(folder: Path) -> None:
    breaks = ("loops.py:6 if s > 0", "loops.py:13 if s < 0", "loops.py:13 if x > 2", "loops.py:15 if i > 1")
    done = debug(folder, "loops", "c; ri;" * 6 + "c", *breaks, "loops.py:22 if y < -2", "loops.py:22 if s < -4")
    assert done.returncode == 0, done.stderr
    assert stops(done.stdout) == [
        "op-start: StridedSlice",
        *["op-start: AddV2"] * 2,
        *["op-start: while/TensorArrayV2Read/TensorListGetItem in rows, iteration 2, run #1"] * 2,
        *["op-end: while/TensorArrayV2Read/TensorListGetItem in rows, iteration 2, run #1"] * 2,
        *["op-end: while_1/Identity_3 in rows, iteration 2, run #1"] * 2,
        *["op-start: LogicalNot in elements, run #2"] * 2,
        *["op-end: Identity_4 in elements, run #2"] * 2,
        "The program has ended.",
    ]
    for told in (
        *(r"i +int64\[\] +1\n  s +float32\[\] +1\.", r"  s \(\S+\) +float32\[\] +-1\."),
        *(r"x \(\S+\) +float32\[\] +3\.", r"i \(\S+\) +int32\[\] +2$", r"s \(\S+\) +float32\[\] +-5\."),
    ):
        assert re.search(told, done.stdout, re.MULTILINE), told
    assert results(done.stdout) == ["result 2.0 -1.0", "result -14.0"]


def test_what_has_run_so_far_is_listed_at_an_eager_line(folder: Path) -> None:
    done = debug(folder, "mixed", "continue; lt; continue; lt; pt Sqrt:0; continue", "mixed.py:11")
    assert done.returncode == 0, done.stderr
    first, second = (part.partition("tdbg>")[0] for part in done.stdout.split("of run 1 and of what ran since:")[1:])
    assert "Sqrt:0" in first and "Exp:0" in first and "Sin:0" not in first
    assert second.count("Exp:0") == 2 and second.count("Sin:0") == 1
    assert re.search(r"^.*Sqrt:0.*$", done.stdout.rpartition("pt Sqrt:0")[2], re.MULTILINE)


def test_the_program_ends_where_it_is_told_to(folder: Path) -> None:
    for name, line in (("data", "data.py:6"), ("graph", "graph.py:12"), ("eager", "eager.py:7")):
        done = debug(folder, name, "continue; exit; continue", line)
        assert (done.returncode, results(done.stdout)) == (0, []), done.stderr
        assert "Traceback" not in done.stderr


def test_a_line_of_a_layer(folder: Path) -> None:
    done = debug(folder, "fitted", "continue; ri; exit", "fitted.py:12 if y.shape[0] == 16 and max(y) > 0")
    assert done.returncode == 0, done.stderr
    said = stops(done.stdout)
    assert re.fullmatch(r"op-end: \S*scaled\S* in one_step_on_data, run #\d", said[1])
    assert re.search(r"^  y \(\S+:0\)  float32\[16, 8\]  min ", done.stdout, re.MULTILINE)


def test_a_session_stops_before_the_line_that_runs_it(folder: Path) -> None:
    done = debug(folder, "session", "continue; continue; continue; continue", "session.py:9", "session.py:6")
    assert stops(done.stdout)[1:] == [
        "op-start: Exp in Session.run(Exp), run #1",
        "run-start: run #2: Session.run(Exp)",
        "op-start: Exp in Session.run(Exp), run #2",
        "The program has ended.",
    ]


def test_a_line_of_a_session_has_its_inputs_and_then_its_results(folder: Path) -> None:
    plain = programs.run(
        [sys.executable, "session_lines.py"], capture_output=True, text=True, check=True, env=QUIET, cwd=folder
    )
    script = "continue; ri; step; ri; delete 1; break session_lines.py:7 if h > 2; continue; continue; continue"
    done = debug(folder, "session_lines", script, "session_lines.py:7")
    assert (done.returncode, results(done.stdout)) == (0, results(plain.stdout)), done.stderr
    said = stops(done.stdout)
    run = "in Session.run(while/Exit_1, GradientDescent), run #"
    assert said[1] == f"op-start: MatMul {run}2" and f"op-end: add {run}2" in said
    assert re.search(r"^  x:0 +float32\[1, 2\]  \[\[1., 0.\]\]$", done.stdout, re.MULTILINE)
    assert re.search(r"^  w/read:0 +float32\[2, 1\]  \[\[1.\], \[2.\]\]$", done.stdout, re.MULTILINE)
    assert re.search(r"^  h \(add:0\) +float32\[1, 1\]  \[\[2.\]\]$", done.stdout, re.MULTILINE)
    # The condition is about what the line computes, so it is looked at behind it.
    assert f"op-end: add {run}3" in said


def test_a_line_that_is_left_out_of_a_session_stops_behind_the_run(folder: Path) -> None:
    done = debug(folder, "session_lines", "continue; continue", "session_lines.py:15")
    assert done.returncode == 0, done.stderr
    assert stops(done.stdout)[1] in {"run-end: run #5: Session.run(mul)", "op-end: mul in Session.run(mul), run #5"}


def test_a_session_ends_where_it_is_told_to(folder: Path) -> None:
    done = debug(folder, "session_lines", "continue; exit", "session_lines.py:8")
    assert (done.returncode, results(done.stdout)) == (0, []), done.stderr
    assert "Traceback" not in done.stderr


def test_a_function_with_the_control_flow_of_tensorflow_1_is_left_as_it_is_and_named(folder: Path) -> None:
    done = debug(folder, "switched", "continue", "switched.py:6")
    assert done.returncode == 0, done.stderr
    assert stops(done.stdout) == ["run-start: run #1: old(x)", "The program has ended."]
    assert results(done.stdout) == ["result [ 7.389056 54.59815 ]"]
    assert (
        "tdbg: warning: old has the control flow of TensorFlow 1 (Switch and Merge), so the program does not stop "
        "inside it, at switched.py:6; stop at the line that calls it" in done.stderr
    )


def test_a_pipeline_that_was_made_before_is_named(folder: Path) -> None:
    done = debug(folder, "data", "continue; delete 1; break data.py:5; break data.py:8; continue", "data.py:9")
    assert done.returncode == 0, done.stderr
    assert (
        "tdbg: warning: pipelines that were made before have a copy of scaled that does not stop at "
        "data.py:5; set the breakpoint before they are made, by --break or at the first stop" in done.stderr
    )
    assert results(done.stdout)[-1] == "result [5.]"


def test_a_for_in_a_generator_stops_in_each_iteration_also_in_the_threads_of_a_dataset(folder: Path) -> None:
    done = debug(folder, "rows", "c; c; ri; " + "c; " * 4, "rows.py:5", "rows.py:10")
    assert results(done.stdout) == ["result 0.0", "result 12.0", "result 2.0", "result 12.0", "result 26.0 1"]
    # The first stop, one for each iteration that follows, of which the second is shown once more, and the end.
    assert stops(done.stdout) == [
        *("op-start: Fill", "op-start: Mul", *["op-start: Mul"] * 2),
        *("op-start: Fill", "op-start: Fill", "The program has ended."),
    ]
    assert re.search(r"k +int64\[\] +1$", done.stdout, re.MULTILINE)
    told = [each for each in done.stderr.splitlines() if "was never met" in each]
    assert len(told) == 1 and "rows.py:10) was never met" in told[0]
    assert "such as rows.py:11" in told[0] and "--pdb rows.py:10" in told[0]


def test_lines_that_make_no_operation_are_refused_with_the_nearest(folder: Path) -> None:
    done = debug(folder, "graph", "run; break graph.py:8; continue")
    assert done.returncode == 2
    assert re.search(
        r"no operation can be made at .*/graph.py:8; the nearest operations are made at lines 5, 10, 11, 12$",
        done.stderr, re.MULTILINE,
    )  # fmt: skip
    done = debug(folder, "graph", "break graph.py:9; break later.py:3; break graph.py:10; continue")
    assert done.returncode == 2 and "graph.py:9" in done.stderr
    done = debug(folder, "graph", "break later.py:3; break graph.py:10; break; continue; exit")
    assert "No operation has been made in such a file yet; the program stops there once one is." in done.stdout
    assert re.search(r"^     1  line  later.py:3$", done.stdout, re.MULTILINE)
    done = debug(folder, "graph", "continue", "graph.py")
    assert (done.returncode, done.stdout) == (2, "")
    assert "tdbg: error: 'graph.py' is no line; write it as FILE:LINE, such as train.py:12" in done.stderr


def test_a_condition_that_asks_for_what_is_not_there_stops_and_says_so(folder: Path) -> None:
    done = debug(folder, "graph", "continue; exit", "graph.py:10 if momentum > 3")
    assert "'momentum' is no tensor that is at hand there (those that are: x)" in done.stdout
    done = debug(folder, "eager", "continue; exit", "eager.py:7 if momentum > 3")
    assert "there is no 'momentum' there yet" in done.stdout
