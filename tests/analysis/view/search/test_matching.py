"""The search compared with a plain filter in Python, and with what `tdbg ls` finds."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import tensordbg
from tensordbg.analysis.names.listing import Order, Selection, list_tensors
from tensordbg.analysis.tensors.show import history_of
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.records.rows import SeenTensor
from tensordbg.analysis.view.search.matching import find_events
from tensordbg.trace.reader import open_trace

Fits = Callable[[SeenTensor], bool]


def bad(row: SeenTensor) -> int:
    return row.health.non_finite if row.health else 0


def within(value: float | None, low: float, high: float) -> bool:
    return value is not None and not math.isnan(value) and low <= value <= high


def statistic(name: str) -> Callable[[SeenTensor], float | None]:
    return lambda row: getattr(row.health, name) if row.health and row.health.finite else None


TERMS: dict[str, Fits] = {
    "op:Log": lambda row: row.op_type == "Log",
    "op:*Mul": lambda row: fnmatch.fnmatchcase(row.op_type, "*Mul"),
    "name:dense": lambda row: "dense" in row.op_name,
    "name:*Log": lambda row: fnmatch.fnmatchcase(row.op_name, "*Log"),
    "name:split:1": lambda row: row.op_name == "split" and row.slot == 1,
    "split:1": lambda row: row.op_name == "split" and row.slot == 1,
    "function:train_step": lambda row: row.function == "train_step",
    "function:while_body*": lambda row: row.op_name == "Log",
    "step:3": lambda row: row.step == 3,
    "step:10..": lambda row: row.step >= 10,
    "step:..7": lambda row: row.step <= 7,
    "step:3..20": lambda row: 3 <= row.step <= 20,
    "step:>=30": lambda row: row.step >= 30,
    "iteration:1..": lambda row: row.iteration is not None and row.iteration >= 1,
    "iteration:<1": lambda row: row.iteration is not None and row.iteration < 1,
    "execution:5..9": lambda row: 5 <= row.execution <= 9,
    "event:..40": lambda row: row.event <= 40,
    "event:>40": lambda row: row.event > 40,
    "file:model.py": lambda row: row.source is not None and row.source.file == "/code/model.py",
    "file:code/model.py": lambda row: row.source is not None and row.source.file == "/code/model.py",
    'file:"other train.py"': lambda row: row.source is not None and row.source.file.endswith("/other train.py"),
    "file:train.py": lambda row: row.source is not None and row.source.file.endswith("/train.py"),
    "line:5": lambda row: row.source is not None and row.source.line == 5,
    "device:GPU": lambda row: "GPU" in row.device,
    "dtype:float64": lambda row: row.dtype == "float64",
    "shape:[2,*]": lambda row: row.shape is not None and len(row.shape) == 2 and row.shape[0] == 2,
    "shape:[]": lambda row: row.shape == (),
    "layer:dense": lambda row: row.op_name.startswith("dense/"),
    "layer:model/dense": lambda row: row.op_name.startswith("dense/"),
    "kept": lambda row: row.kept,
    "nonfinite": lambda row: bad(row) > 0,
    "nan": lambda row: row.health is not None and row.health.nan > 0,
    "inf": lambda row: row.health is not None and row.health.pos_inf + row.health.neg_inf > 0,
    "zero": lambda row: row.health is not None and row.health.zero > 0,
    "negative": lambda row: row.health is not None and row.health.negative > 0,
    "min:<0": lambda row: within(statistic("min")(row), -math.inf, -1e-9),
    "max:>1e3": lambda row: within(statistic("max")(row), 1000.001, math.inf),
    "mean:0..5": lambda row: within(statistic("mean")(row), 0, 5),
    "std:>10": lambda row: within(statistic("std")(row), 10.0001, math.inf),
    "size:6": lambda row: row.shape is not None and math.prod(row.shape) == 6 and row.health is not None,
    "log": lambda row: "log" in f"{row.op_name} {row.op_type} {row.function}".lower(),
    '"train_step"': lambda row: "train_step" in (row.op_name, row.function),
}


@settings(max_examples=150, deadline=None)
@given(chosen=st.lists(st.tuples(st.sampled_from(sorted(TERMS)), st.booleans()), max_size=4))
def test_search_is_a_filter(varied: OpenedTrace, chosen: list[tuple[str, bool]]) -> None:
    rows = varied.rows(range(varied.event_count))
    search = "  ".join(f"{'-' * negated}{term}" for term, negated in chosen)
    expected = [row.event for row in rows if all(TERMS[term](row) != negated for term, negated in chosen)]
    if any(term == "size:6" for term, _ in chosen):
        # Of what was not measured the size is known all the same.
        sizes = varied.columns.whole("size").tolist()
        expected = [
            row.event
            for row in rows
            if all((sizes[row.event] == 6 if t == "size:6" else TERMS[t](row)) != negated for t, negated in chosen)
        ]
    assert find_events(varied, search).tolist() == expected


@pytest.mark.parametrize("term", sorted(TERMS))
def test_every_term_finds_some_and_leaves_some(varied: OpenedTrace, term: str) -> None:
    assert 0 < len(find_events(varied, term)) < varied.event_count


@pytest.mark.parametrize(
    ("search", "selection"),
    [
        ("nonfinite", Selection(non_finite=True)),
        ("op:Log", Selection(op_types=("Log",))),
        ("name:dense*", Selection(name="dense*")),
        ("name:split:1", Selection(name="split:1")),
        ("file:train.py", Selection(file="train.py")),
        ("step:3..20", Selection(steps=(3, 20))),
        ("device:GPU:0", Selection(device="GPU:0")),
        ("function:while_body_7", Selection(function="while_body_7")),
        ("op:Log nonfinite step:5..", Selection(op_types=("Log",), non_finite=True, steps=(5, None))),
    ],
)
def test_finds_what_ls_finds(varied: OpenedTrace, search: str, selection: Selection) -> None:
    listed = [row.event for row in list_tensors(varied.reader, selection, Order(limit=0)).rows]
    assert listed
    assert find_events(varied, search).tolist() == listed


def test_names_of_the_text_are_found_as_ls_finds_them(tmp_path: Path) -> None:
    @tf.function
    def run(n: Any) -> Any:
        rows = tf.TensorArray(tf.int32, size=n)
        for i in tf.range(n):
            total = 0
            for j in tf.range(i + 1):
                total += j
            rows = rows.write(i, total)
        return rows.stack()

    with tensordbg.record(tmp_path) as recording:
        run(tf.constant(3))
    reader = open_trace(recording.path)
    opened = OpenedTrace(reader)

    def found(search: str) -> list[int]:
        return find_events(opened, search).tolist()

    named = [point.event for point in history_of(reader, "rows").points]
    assert len(named) == 3
    assert found("rows") == found("name:rows") == sorted(named)
    assert set(found("total")) >= {point.event for point in history_of(reader, "total").points}
    assert set(found("-rows")) == set(range(opened.event_count)) - set(named)
    assert found("rows total") == []
