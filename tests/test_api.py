from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tensordbg
from tests.sample_trace import TENSOR_EVENTS


@pytest.fixture
def trace(sample: Path) -> tensordbg.Trace:
    return tensordbg.open(sample)


def test_folder_of_traces_means_the_newest(sample: Path) -> None:
    assert tensordbg.open(str(sample.parent)).path == sample


def test_representation(trace: tensordbg.Trace, sample: Path) -> None:
    assert repr(trace) == f"Trace('{sample}')"


def test_representation_in_a_notebook(trace: tensordbg.Trace, sample: Path) -> None:
    html = trace._repr_html_()
    assert html.startswith(f"<p><code>Trace {sample}</code></p><div><p>")
    assert re.search(r"<td[^>]*>harmless</td><td[^>]*>Log:0</td><td[^>]*>log_of_zero</td>", html)
    assert "<script" not in html


def test_missing_trace(tmp_path: Path) -> None:
    with pytest.raises(tensordbg.TraceError, match="nowhere: does not exist"):
        tensordbg.open(tmp_path / "nowhere")


def test_tables(trace: tensordbg.Trace) -> None:
    table = trace.table("tensors")
    assert isinstance(table, pa.Table)
    assert table.num_rows == TENSOR_EVENTS


def test_unknown_table(trace: tensordbg.Trace) -> None:
    with pytest.raises(tensordbg.UsageError, match="table 'tensor' is not in a trace; choose one of edges, "):
        trace.table("tensor")


def test_pandas(trace: tensordbg.Trace) -> None:
    frame = trace.to_pandas("sites")
    assert isinstance(frame, pd.DataFrame)
    assert "Log" in set(frame["name"])


def test_polars(trace: tensordbg.Trace) -> None:
    frame = trace.to_polars("tensors")
    assert isinstance(frame, pl.DataFrame)
    assert frame["max"].max() == 20.0


def test_sql(trace: tensordbg.Trace) -> None:
    assert trace.sql("select count(*) as n from events").to_pylist() == [{"n": TENSOR_EVENTS}]


def test_tensors(trace: tensordbg.Trace) -> None:
    listing = trace.tensors(order_by="-max", limit=2, op_types=("Mul",))
    assert [row.step for row in listing.rows] == [2, 1]
    assert listing.total == 3


def test_tensor(trace: tensordbg.Trace) -> None:
    assert [point.step for point in trace.tensor("Log:0").points] == [0, 1, 2]


def test_why(trace: tensordbg.Trace, sample: Path) -> None:
    assert trace.why() == tensordbg.why(sample)
    assert trace.why().status == "non_finite"


def test_graph(trace: tensordbg.Trace) -> None:
    graph = trace.graph("train")
    assert [node.name for node in graph.nodes] == ["x", "Log", "call", "call/y", "call/mul"]
    with pytest.raises(tensordbg.UsageError, match="record with --graphs"):
        trace.graph("train", stage="run")
    with pytest.raises(tensordbg.UsageError, match="stage 'ran' is not known"):
        trace.graph("train", stage="ran")


@pytest.fixture
def run(sample_run: Path) -> tensordbg.Run:
    return tensordbg.open_run(sample_run)


def test_processes_of_a_run(run: tensordbg.Run, sample_run: Path) -> None:
    assert repr(run) == f"Run('{sample_run}': worker 0, worker 1)"
    assert run._repr_html_().startswith(f"<p><code>Run {sample_run}: worker 0, worker 1</code></p><div><p>")
    assert {name: trace.path.name for name, trace in run.processes.items()} == {
        "worker 0": "trace-0",
        "worker 1": "trace-1",
    }


def test_one_process_of_a_run(sample_run: Path) -> None:
    assert tensordbg.open(sample_run, process=1).path == sample_run / "trace-1"
    assert tensordbg.open(sample_run, process="worker 0").path == sample_run / "trace-0"
    with pytest.raises(tensordbg.UsageError, match=r"2 processes were recorded together; choose one .*: worker 0, w"):
        tensordbg.open(sample_run)


def test_a_run_as_a_whole(run: tensordbg.Run, sample_run: Path) -> None:
    assert run.why() == tensordbg.why(sample_run)
    assert [process.name for process in run.why().processes] == ["worker 0", "worker 1"]
    assert {row.process for row in run.tensors(limit=6).rows} == {"worker 0", "worker 1"}
    assert run.sql("select distinct process from events order by 1").column("process").to_pylist() == list(
        run.processes
    )


def test_a_run_of_one_process(sample: Path) -> None:
    run = tensordbg.open_run(sample.parent)
    assert list(run.processes) == ["train"]
    assert run.why() == tensordbg.open(sample).why()
