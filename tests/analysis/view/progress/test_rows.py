from __future__ import annotations

import json

from tensordbg.analysis.view.progress.rows import find_rows, row_of
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import network, studied


def test_without_layers_lines_are_told_and_variables_by_themselves() -> None:
    lines, trained = find_rows(studied(network(steps=3)))
    assert [line.name for line in lines if line.name in ("train.py:11", "train.py:12")] == [
        "train.py:11",
        "train.py:12",
    ]
    assert [(row.name, row.kind) for row in trained] == [("kernel", "variable"), ("bias", "variable")]


def in_layer(path: str, kind: str, *outer: tuple[str, str]) -> str:
    """What a site says of its layers: the own one, and those whose output it makes."""
    return json.dumps({"path": path, "class": kind, "output_of": [[name, of, 0, 0] for name, of in outer]})


def test_layers_in_the_order_of_their_calls_with_what_they_train() -> None:
    trace = TraceBuilder()
    f = trace.function("step")
    kernel = trace.variable("model/second/kernel", "[2]", trainable=True)
    first = f.op("Relu", layer=in_layer("model/first", "Act", ("model/first", "Act")))
    read = f.op("ReadVariableOp", reads=[kernel], layer=in_layer("model/second", "Scale"))
    second = f.op(
        "Mul", first, read, layer=in_layer("model/second", "Scale", ("model/second", "Scale"), ("model", "Model"))
    )
    run = trace.run(f)
    for ref in (first, read, second):
        run.event(ref, [1.0, 2.0])
    rows, trained = find_rows(studied(trace))
    assert [(row.name, row.kind, row.depth) for row in rows] == [
        ("model", "Model", 0),
        ("model/first", "Act", 1),
        ("model/second", "Scale", 1),
    ]
    assert [(row.name, row.variables) for row in trained] == [("model/second", (kernel,))]
    assert row_of(rows, 10)[[first.site, second.site]].tolist() == [1, 2]
    assert row_of(rows, 10)[9] == -1
