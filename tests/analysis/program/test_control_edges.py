"""Why something ran that nobody returns: what waits for it, and that its function runs it anyway."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.analysis.graphs.function_graph import GraphNode, Section, function_graph
from tensordbg.analysis.names.graph_choice import choose_part
from tensordbg.analysis.program.control_edges import are_recorded, runs_anyway, waits_for
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.cli import main
from tensordbg.console.names.nodes import control_consumers, control_inputs, find_node
from tensordbg.console.names.runs import EVERYTHING
from tensordbg.model import NONE, Site
from tensordbg.trace.reader import TraceReader
from tests.analysis.builder import TraceBuilder
from tests.backends.tensorflow.recorded import record

v1 = tf.compat.v1


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> TraceReader:
    total = tf.Variable(0.0)

    @tf.function
    def step(x: Any) -> Any:
        total.assign_add(tf.sin(x), name="count")
        doubled = tf.multiply(x, 2.0, name="doubled")
        with tf.control_dependencies([doubled]):
            result = tf.exp(x, name="result")
        tf.print(x, output_stream="file:///dev/null", name="printed")
        if x > 0.0:
            total.assign_add(1.0, name="inside")
        return result

    return record(tmp_path_factory.mktemp("step"), lambda: step(tf.constant(1.0))).reader


@pytest.fixture(scope="module")
def nodes(reader: TraceReader) -> dict[str, GraphNode]:
    return {node.name: node for node in function_graph(reader, "step").nodes}


def of_type(nodes: dict[str, GraphNode], op_type: str) -> GraphNode:
    return next(node for node in nodes.values() if node.op_type == op_type)


def test_what_is_only_waited_for(nodes: dict[str, GraphNode]) -> None:
    assert nodes["result"].waits_for == ("doubled",)
    assert nodes["doubled"].waits_for == ()
    assert not nodes["doubled"].runs_anyway


def test_what_runs_for_what_it_does(nodes: dict[str, GraphNode]) -> None:
    for op_type in ("AssignAddVariableOp", "PrintV2", "If"):
        node = of_type(nodes, op_type)
        assert node.runs_anyway
        assert any(node.name in each.waits_for for each in nodes.values())
    inside = [node for node in nodes.values() if node.part == "then" and node.op_type == "AssignAddVariableOp"]
    assert [node.runs_anyway for node in inside] == [True]


def test_around_an_operation_is_what_waits_for_it(reader: TraceReader, nodes: dict[str, GraphNode]) -> None:
    printed = of_type(nodes, "PrintV2").name
    part = choose_part(reader, printed)
    around = function_graph(reader, part.function, Section(around=part.around, hops=1)).nodes
    assert [node.name for node in around if printed in node.waits_for]
    assert "result" not in {node.name for node in around}


def test_the_command(reader: TraceReader, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["graph", str(reader.path), "step", "--depth", "0"])
    out = capsys.readouterr().out
    assert "^doubled" in out
    assert ", ! what runs though no result needs it, ^ what is only waited for" in out
    with pytest.raises(SystemExit, match="0"):
        main(["graph", str(reader.path), "step", "--json"])
    said = {node["name"]: node for node in json.loads(capsys.readouterr().out)["nodes"]}
    assert (said["result"]["waits_for"], said["result"]["runs_anyway"]) == (["doubled"], False)


def test_the_console_knows_them_without_kept_graphs(reader: TraceReader) -> None:
    opened = OpenedTrace(reader)
    result, _ = find_node(opened, "result", EVERYTHING)
    doubled, _ = find_node(opened, "doubled", EVERYTHING)
    assert control_inputs(opened, result) == ("doubled",)
    assert control_consumers(opened, doubled) == ("result",)


def test_sessions(tmp_path: Path) -> None:
    def program() -> None:
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [])
            with tf.control_dependencies([tf.sin(x, name="before")]):
                result = tf.exp(x, name="result")
            session.run(result, {x: 1.0})

    read = read_program(record(tmp_path, program).reader)
    site = next(each for each in read.sites.values() if each.name == "result")
    assert [read.sites[number].name for number in waits_for(read, site)] == ["before"]


def test_targets_of_sessions(tmp_path: Path) -> None:
    def program() -> None:
        with tf.Graph().as_default(), v1.Session() as session:
            count = v1.Variable(0.0, name="count")
            session.run(count.initializer)
            group = tf.group(v1.assign_add(count, 1.0, name="add"), name="group")
            session.run([tf.exp(1.0, name="result"), group])

    reader = record(tmp_path, program).reader
    nodes = {node.name: node for node in function_graph(reader, "Session.run(result, group)", Section()).nodes}
    assert {name for name, node in nodes.items() if node.runs_anyway} == {"group"}
    assert [nodes[name].op_type for name in nodes["group"].waits_for] == ["AssignAddVariableOp"]


def program_with(told: object) -> tuple[Program, Site]:
    trace = TraceBuilder()
    graph, other = trace.function("f"), trace.function("g")
    first, second, elsewhere = graph.op("Sin"), graph.op("Cos", attributes=json.dumps(told)), other.op("Exp")
    assert [ref.site for ref in (first, second, elsewhere)] == [0, 1, 2]
    program = read_program(trace)
    return program, program.sites[1]


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ({"waits_for": [0]}, (0,)),
        ({"waits_for": [0, 2, 77, -5]}, (0,)),  # of another function, or of none
        ({"waits_for": "0"}, ()),
        ({"waits_for": [[0], None, "0"]}, ()),
        ({"why": "waits_for"}, ()),
        ({}, ()),
    ],
)
def test_only_what_is_there_counts(told: object, found: tuple[int, ...]) -> None:
    program, site = program_with(told)
    assert waits_for(program, site) == found


def test_forged_notes() -> None:
    assert not runs_anyway(Site(0, "n", "Neg", NONE, NONE, attributes='{"runs_anyway": "yes"}'))
    assert runs_anyway(Site(0, "n", "Neg", NONE, NONE, attributes='{"runs_anyway": true}'))
    assert not are_recorded([Site(0, "n", "Neg", NONE, NONE)])
