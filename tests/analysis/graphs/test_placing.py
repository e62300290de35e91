from __future__ import annotations

import pytest

from tensordbg.analysis.graphs.placing import fits, misplaced, short_device
from tests.analysis.builder import TraceBuilder
from tests.analysis.graphs.sample_graphs import CPU, GPU, node, tree_of


@pytest.mark.parametrize(
    ("asked", "given", "fit"),
    [
        ("", CPU, True),
        ("/CPU:0", CPU, True),
        ("/device:cpu:0", CPU, True),
        ("/device:CPU:*", CPU, True),
        ("/device:CPU", CPU, True),
        ("/GPU:0", CPU, False),
        ("/device:CPU:1", CPU, False),
        ("/job:worker/task:1", CPU, False),
        ("/job:localhost/replica:0/task:0/device:GPU:0", GPU, True),
    ],
)
def test_what_fits(asked: str, given: str, fit: bool) -> None:
    assert fits(asked, given) is fit


def test_short_names() -> None:
    assert short_device(CPU) == "CPU:0"
    assert short_device("/device:GPU:*") == "GPU:*"
    assert short_device("/job:worker/replica:0/task:1/device:CPU:0") == "/job:worker/replica:0/task:1/device:CPU:0"
    assert short_device("") == ""


def test_misplaced_operations() -> None:
    trace = TraceBuilder()
    graph = trace.function("f")
    x = graph.argument("x")
    asked = graph.op("Relu", x, name="asked", device="/GPU:0")
    alone = graph.op("Sqrt", asked, name="alone")
    graph.op("Exp", alone, name="last")
    running = {
        each.name: each
        for each in (
            node("asked", "Relu", "x"),
            node("alone", "Sqrt", "asked", device=GPU),
            node("last", "Exp", "alone"),
        )
    }
    assert misplaced(tree_of(trace, graph), running) == {
        "asked": "asked for GPU:0, runs on CPU:0",
        "alone": "runs on GPU:0, all around it on CPU:0",
        "last": "runs on CPU:0, all around it on GPU:0",
    }
