"""What the page is told of a real program, from the finding to the zero that it came from and the line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.names.listing import Order, Selection, list_tensors
from tensordbg.analysis.tensors.show import history_of
from tensordbg.analysis.view.requests import Centre, EventList, Window
from tensordbg.analysis.why import why
from tensordbg.trace.folders.runs import find_run
from tensordbg.trace.reader import TraceReader, open_trace
from tensordbg.wire.view.answers import RunAnswers

STEPS = 4


def train() -> None:
    """Three dense turns of a loop in a called function; in the last step a probability is zero."""
    weights = tf.Variable(tf.ones([3, 3]), name="weights")

    @tf.function
    def mix(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(3):
            x = tf.nn.relu(tf.matmul(x, weights)) / 3.0
        return x

    @tf.function
    def train_step(x: tf.Tensor) -> tf.Tensor:
        probabilities = mix(x)
        return tf.reduce_mean(tf.math.log(probabilities))

    for step in range(STEPS):
        batch = tf.ones([2, 3]) * float(STEPS - 1 - step)
        train_step(batch * 0.5)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> TraceReader:
    """The program recorded, with its values."""
    with tensordbg.record(tmp_path_factory.mktemp("traces"), detail="values") as recording:
        train()
    return open_trace(recording.path)


@pytest.fixture(scope="module")
def answers(trace: TraceReader) -> RunAnswers:
    """About it."""
    return RunAnswers(find_run(trace.path))


def test_rows_are_those_of_ls(trace: TraceReader, answers: RunAnswers) -> None:
    for search, selection in (
        ("", Selection()),
        ("nonfinite", Selection(non_finite=True)),
        ("op:Relu step:1..", Selection(op_types=("Relu",), steps=(1, None))),
        ("name:Log", Selection(name="Log")),
        (f"file:{Path(__file__).name}", Selection(file=Path(__file__).name)),
    ):
        listed = list_tensors(trace, selection, Order(limit=0))
        page = answers.events("", EventList(search), 0, 500)
        assert page.total == listed.total > 0
        assert [(row.event, row.tensor, row.shape, row.step, row.iteration) for row in page.rows] == [
            (row.event, row.tensor, row.shape, row.step, row.iteration) for row in listed.rows[:500]
        ]


def test_the_way_from_the_finding_to_the_zero_and_the_line(trace: TraceReader, answers: RunAnswers) -> None:
    said = why(trace).origins[0]
    found = answers.findings().findings[0]
    assert found.event is not None
    assert (found.cause, found.event.event, found.level) == ("log_of_zero", said.view.event, "trouble")
    assert found.source is not None
    assert "tf.math.log(probabilities)" in found.source.text
    log = answers.event("", found.event.event)
    assert log.finding == 0
    (given,) = log.inputs
    assert given.row is not None
    assert given.row.health is not None
    # What the loop gave in its last turn, in another function.
    assert (given.row.op_type, given.row.iteration, given.row.health.zero) == ("RealDiv", 2, 6)
    values = answers.values("", given.row.event, Window())
    assert np.array_equal(np.array(values.rows), np.zeros((2, 3)))
    relu = next(each for each in answers.event("", given.row.event).inputs if each.slot == 0)
    assert relu.row is not None
    assert (relu.row.op_type, relu.row.iteration) == ("Relu", 2)
    source = answers.source("", found.source.file)
    margin = next(each for each in source.margins if each.line == found.source.line)
    assert [made.event for made in margin.operations if made.op_type == "Log"] == [found.event.event]
    assert source.text == Path(__file__).read_text()
    assert not source.changed


def test_every_input_is_of_the_same_execution_or_an_earlier_one(answers: RunAnswers) -> None:
    page = answers.events("", EventList(), 0, 500)
    unknown = set()
    for row in page.rows:
        one = answers.event("", row.event)
        for given in one.inputs:
            unknown |= {given.op_type} if given.row is None else set()
            assert given.row is None or given.row.execution <= row.execution
        for taken in one.consumers:
            assert taken.row is None or taken.row.execution >= row.execution
        assert one.row == row
    assert unknown <= {"Const", "Placeholder"}, "whole numbers, shapes and axes, and handles are not recorded"


def test_inputs_of_consumers_are_the_event(answers: RunAnswers) -> None:
    for row in answers.events("", EventList("op:Relu"), 0, 50).rows:
        consumers = [each for each in answers.event("", row.event).consumers if each.row is not None]
        assert consumers
        for each in consumers:
            assert each.row is not None
            given = answers.event("", each.row.event).inputs
            assert row.event in [one.row.event for one in given if one.row is not None]


def test_history_and_timeline(trace: TraceReader, answers: RunAnswers) -> None:
    tensor = answers.events("", EventList("op:Log"), 0, 1).rows[0].tensor
    assert [point.event for point in answers.tensor("", tensor, "", 100).points] == [
        point.event for point in history_of(trace, tensor).points
    ]
    timeline = answers.timeline("", None, None, 1000)
    spans = [span for lane in timeline.lanes if not lane.device for span in lane.spans]
    assert [span.name for span in spans if not span.eager] == ["train_step"] * STEPS
    bad = [span for span in spans if span.non_finite]
    assert [(span.name, span.step) for span in bad] == [("train_step", STEPS - 1)]
    execution = answers.execution("", bad[0].execution)
    assert execution.first_bad_event == answers.next("", "nonfinite", -1, "forward").event
    inside = answers.events("", EventList(f"execution:{execution.execution}"), 0, 500)
    assert inside.total == execution.events == bad[0].events


def test_graph_opens_into_the_loop(answers: RunAnswers) -> None:
    event = answers.events("", EventList("op:Relu step:3 iteration:2"), 0, 1).rows[0].event
    graph = answers.graph("", Centre(event, hops=2))
    nodes = {node.node: node for node in graph.nodes}
    centre = nodes[graph.centre]
    assert (graph.function, centre.op_type, centre.event, centre.part) == ("train_step", "Relu", event, "body")
    assert nodes[centre.inside].opened
    assert {"MatMul", "RealDiv"} <= {node.op_type for node in graph.nodes}
    assert all(edge.source in nodes and edge.target in nodes for edge in graph.edges)
    log = answers.findings().findings[0].event
    assert log is not None
    around = answers.graph("", Centre(log.event, hops=1))
    bad = {node.op_type for node in around.nodes if node.health == "bad"}
    assert "Log" in bad
    assert [node.op_type for node in around.nodes if node.origin] == ["Log"]
