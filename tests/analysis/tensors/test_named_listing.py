from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.analysis.names.listing import Selection
from tensordbg.analysis.tensors.named_listing import list_named
from tensordbg.analysis.tensors.show import history_of
from tensordbg.errors import UsageError
from tensordbg.trace.reader import TraceReader
from tests.analysis.graphs.test_layers import layered_trace
from tests.backends.tensorflow.recorded import record


def counting(folder: Path) -> TraceReader:
    @tf.function
    def count(turnover: Any) -> Any:
        while turnover < 3:
            turnover += 1
        return turnover

    return record(folder, lambda: count(tf.constant(0))).reader


def test_a_name_of_the_text_stands_beside_that_of_the_operation(tmp_path: Path) -> None:
    reader = counting(tmp_path / "count")
    found = list_named({"": reader}, Selection(name="turnover")).listing
    states = [row for row in found.rows if row.iteration is not None]
    assert [row.health.max for row in states if row.health is not None] == [0, 1, 2, 3]
    assert {row.python_names for row in states} == {("turnover",)}


def test_names_that_only_assignments_give(tmp_path: Path) -> None:
    @tf.function
    def step(x: Any) -> Any:
        hidden = tf.tanh(x) * 2.0
        first, second = hidden + 1.0, hidden - 1.0
        return first * second

    def program() -> None:
        for turn in range(2):
            total = step(tf.constant(float(turn))) + 1.0
        assert total is not None

    reader = record(tmp_path, program).reader
    rows = list_named({"": reader}, Selection()).listing.rows
    named = {name: row.op_type for row in rows for name in row.python_names}
    assert {name: named[name] for name in ("hidden", "first", "second", "total", "x")} == {
        "hidden": "Mul",
        "first": "AddV2",
        "second": "Sub",
        "total": "AddV2",
        "x": "Placeholder",
    }
    for name in named:
        assert history_of(reader, name).total
    only = list_named({"": reader}, Selection(op_types=("Tanh",))).listing.rows
    assert {row.python_names for row in only} == {()}


def test_parts_of_names_and_patterns_are_as_before(tmp_path: Path) -> None:
    reader = counting(tmp_path)
    names = {row.op_name for row in list_named({"": reader}, Selection(name="while/")).listing.rows}
    assert names == {row.op_name for row in list_named({"": reader}, Selection(name="while/*")).listing.rows}
    assert "while/Less" in names


def test_only_a_layer(tmp_path: Path) -> None:
    reader = layered_trace(tmp_path / "layered")

    def listed(layer: str, **selection: Any) -> list[tuple[str, int]]:
        rows = list_named({"": reader}, Selection(**selection), layer).listing.rows
        return [(row.tensor, row.step) for row in rows]

    assert listed("scale") == listed("model/scale") == [("mul:0", 0), ("mul:0", 1)]
    assert listed("log", non_finite=True) == [("Log:0", 1)]
    assert len(listed("model")) == 4
    assert listed("s*") == listed("scale")
    assert listed("model", name="scale/mul") == listed("scale")
    assert listed("scale", name="Log") == []
    with pytest.raises(UsageError, match=r"^no layer 'scal' was recorded; did you mean 'scale'\?$"):
        listed("scal")


def test_a_trace_without_layers(sample_reader: TraceReader) -> None:
    with pytest.raises(UsageError, match="no layer was recorded; leave --layer out"):
        list_named({"": sample_reader}, Selection(), "dense")


def test_the_nearest_where_nothing_fits(sample_reader: TraceReader) -> None:
    assert list_named({"": sample_reader}, Selection(name="Lgo")).near == ("Log:0",)
    assert list_named({"": sample_reader}, Selection(name="Log")).near == ()


def test_each_process_has_its_own_names(run_readers: dict[str, TraceReader]) -> None:
    rows = list_named(run_readers, Selection(name="Log")).listing.rows
    assert [row.process for row in rows] == ["worker 0", "worker 1"] * 3
