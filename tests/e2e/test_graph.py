"""`tdbg graph` on programs that TensorFlow really optimises."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tensordbg
from tensordbg.analysis.graphs.as_run import ExecutedGraph
from tensordbg.analysis.graphs.changes import Fate
from tensordbg.analysis.graphs.function_graph import function_graph
from tensordbg.trace.reader import TraceReader
from tests import programs

PROGRAM = """
import tensorflow as tf

tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)
weight, bias = tf.Variable(tf.ones([4, 3])), tf.Variable(tf.zeros([3]))


@tf.function
def layer(x):
    return tf.nn.relu(tf.matmul(x, weight) + bias)  # FUSED


@tf.function
def step(x):
    half = tf.constant(1.0) / tf.constant(2.0)  # FOLDED
    for _ in tf.range(3):
        x = x + half
    y = layer(x)
    with tf.device("/CPU:1"):
        far = tf.sqrt(y)
    with tf.device("/GPU:0"):
        moved = tf.exp(y)  # MOVED
    twice = tf.cos(y) + tf.cos(y)
    return tf.reduce_sum(tf.identity(twice) + far + moved)


for _ in range(2):
    step(tf.ones([2, 4]))
print("done")
"""


def line_of(mark: str) -> int:
    return next(number for number, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith(f"# {mark}"))


FUSING = {**os.environ, "TF_ENABLE_ONEDNN_OPTS": "1"}
"""On every processor; by itself TensorFlow does so on some."""


def tdbg(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    done = programs.run(
        [sys.executable, "-m", "tensordbg", *words],
        cwd=folder,
        env=FUSING,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds the recorded program."""
    folder = tmp_path_factory.mktemp("graph")
    (folder / "program.py").write_text(PROGRAM)
    done = tdbg(folder, "run", "--graphs", "program.py")
    assert done.stdout == "done\n"
    assert "warning" not in done.stderr.replace("WARNING", "")
    return folder


def graph_of(folder: Path, stage: str) -> ExecutedGraph:
    graph = tensordbg.open(folder / "tdbg-traces").graph("step", stage)
    assert isinstance(graph, ExecutedGraph)
    return graph


def operations(graph: ExecutedGraph, fate: Fate) -> dict[tuple[str, ...], str]:
    return {change.operations: change.reason for change in graph.of(fate)}


def test_fused_operations_and_their_line(folder: Path) -> None:
    graph = graph_of(folder, "run")
    names = ("StatefulPartitionedCall/MatMul", "StatefulPartitionedCall/add", "StatefulPartitionedCall/Relu")
    assert list(operations(graph, Fate.FUSED)) == [names]
    (node,) = [node for node in graph.nodes if node.made_from == names]
    assert "Fused" in node.op_type
    assert node.source is not None
    assert node.source.line == line_of("FUSED")
    assert (graph.unfused, graph_of(folder, "recorded").of(Fate.FUSED)) == (1, ())


def test_folded_removed_and_moved_operations(folder: Path) -> None:
    graph = graph_of(folder, "run")
    assert ("truediv",) in operations(graph, Fate.FOLDED)
    (folded,) = [node for node in graph.nodes if node.made_from == ("truediv",)]
    assert folded.source is not None
    assert folded.source.line == line_of("FOLDED")
    removed = operations(graph, Fate.REMOVED)
    assert removed["Cos_1",] == "the same as Cos, computed once"
    assert removed["Const",] == removed["Const_1",] == "a constant: its value went into truediv"
    assert operations(graph, Fate.MOVED)["Exp",] == "asked for GPU:0, runs on CPU:0"
    devices = {node.name: node.device for node in graph.nodes}
    assert (devices["Sqrt"], devices["Exp"]) == ("CPU:1", "CPU:0")
    assert graph.added["transfers between devices"] >= 4
    assert graph.added["loops and branches"] >= 8


def test_nothing_of_ours_is_in_it(folder: Path) -> None:
    for stage in ("run", "recorded"):
        text = tdbg(folder, "graph", "step", "--as", stage, "--json").stdout
        assert "tdbg" not in text.lower()
        assert "probe" not in text.lower()


def test_every_operation_is_accounted_for(folder: Path) -> None:
    built = tensordbg.open(folder / "tdbg-traces").graph("step")
    graph = graph_of(folder, "run")
    gone = {name for change in graph.changes if change.fate is Fate.REMOVED for name in change.operations}
    running = {name for node in graph.nodes for name in node.made_from}
    assert not gone & running
    rest = {node.name for node in built.nodes} - gone - running
    calls = {node.name for node in built.nodes if node.calls or node.argument >= 0}
    assert rest <= calls, "what is neither running nor removed is a call or an argument of one"


def test_exported_graphs_in_a_process_without_us(folder: Path) -> None:
    for stage in ("built", "run", "recorded"):
        tdbg(folder, "graph", "step", "--as", stage, "--export", f"{stage}.pb")
    tdbg(folder, "graph", "layer", "--export", "layer.pb")
    tdbg(folder, "graph", "step", "--export", "logs")
    program = f"""
import sys; sys.modules["tensordbg"] = None
import json, os, tensorflow as tf
os.chdir({str(folder)!r})
def load(name):
    graph = tf.Graph()
    with graph.as_default():
        tf.graph_util.import_graph_def(tf.compat.v1.GraphDef.FromString(open(name, "rb").read()), name="")
    return graph
graphs = {{stage: load(stage + ".pb") for stage in ("built", "run", "recorded")}}
with tf.compat.v1.Session(graph=load("layer.pb")) as session:
    x, weight, bias = [op.outputs[0] for op in session.graph.get_operations()[:3]]
    ops = [op.type for op in session.graph.get_operations()]
(events,) = os.listdir("logs")
*_, event = tf.compat.v1.train.summary_iterator("logs/" + events)
same = event.graph_def == open("built.pb", "rb").read()
print(json.dumps([{{name: len(graph.get_operations()) for name, graph in graphs.items()}}, ops, same]))
"""
    done = programs.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    counts, layer, same = json.loads(done.stdout)
    assert counts["run"] == len(graph_of(folder, "run").nodes)
    assert counts["recorded"] == len(graph_of(folder, "recorded").nodes)
    assert counts["built"] > 20
    assert layer.count("MatMul") == layer.count("Relu") == 1
    assert same


def test_text(folder: Path) -> None:
    text = tdbg(folder, "graph", "step", "--as", "run").stdout
    assert (
        "StatefulPartitionedCall/MatMul + StatefulPartitionedCall/add + StatefulPartitionedCall/Relu  run as one"
        in text
    )
    assert "moved (1)" in text
    assert f"program.py:{line_of('MOVED')}" in text
    assert "while it was recorded, the probes kept 1 fused operation apart" in text


def test_keras(tmp_path: Path) -> None:
    program = """
import keras, numpy as np
keras.utils.set_random_seed(1)
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(3, "softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
x, y = np.ones((32, 8), "float32"), np.zeros(32, "int32")
print(float(model.fit(x, y, batch_size=16, epochs=2, verbose=0).history["loss"][-1]).hex())
"""
    (tmp_path / "train.py").write_text(program)
    plain = programs.run([sys.executable, "train.py"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert tdbg(tmp_path, "run", "train.py").stdout == tdbg(tmp_path, "run", "--graphs", "train.py").stdout
    loss = float.fromhex(tdbg(tmp_path, "run", "--graphs", "train.py").stdout)
    assert loss == pytest.approx(float.fromhex(plain), rel=1e-5)
    graph: dict[str, Any] = json.loads(
        tdbg(tmp_path, "graph", "multi_step_on_iterator", "--as", "run", "--json").stdout
    )
    fused = [change["operations"] for change in graph["fused"]]
    assert any(any(name.endswith("dense_1/MatMul") or "dense/MatMul" in name for name in names) for names in fused)
    assert len(graph["nodes"]) > 50


def test_a_loop_over_a_dataset_is_named_as_the_function_that_has_it(tmp_path: Path) -> None:
    import tensorflow as tf

    @tf.function
    def total(numbers: Any) -> Any:
        found = tf.constant(0, tf.int64)
        for number in numbers:
            found += number
        return found

    with tensordbg.record(tmp_path) as recording:
        total(tf.data.Dataset.range(3))
    nodes = function_graph(TraceReader(recording.path), "total").nodes
    assert [node.calls for node in nodes if node.op_type == "ReduceDataset"] == [("total",)]
