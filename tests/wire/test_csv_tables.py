from __future__ import annotations

from pathlib import Path

from tensordbg.analysis.diff.result import Comparison, PairError
from tensordbg.analysis.graphs.as_run import run_graph
from tensordbg.analysis.graphs.function_graph import function_graph
from tensordbg.analysis.graphs.layers import list_layers
from tensordbg.analysis.names.listing import Selection, list_tensors
from tensordbg.analysis.tensors.show import histories_of, history_of
from tensordbg.trace.graphs.graph_files import GraphFiles, GraphStage
from tensordbg.trace.graphs.graphdef import GraphDefMessage
from tensordbg.trace.reader import TraceReader
from tensordbg.wire.csv_tables import (
    captures_to_csv,
    diff_to_csv,
    graph_to_csv,
    histories_to_csv,
    layers_to_csv,
    listing_to_csv,
    run_graph_to_csv,
)
from tests.analysis.graphs.sample_graphs import node
from tests.analysis.graphs.test_layers import layered_trace


def test_a_row_has_the_numbers_of_its_tensor(sample_reader: TraceReader) -> None:
    table = listing_to_csv(list_tensors(sample_reader, Selection(non_finite=True)))
    (row,) = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    assert (row["tensor"], row["step"], row["shape"]) == ("Log:0", 2, "[2, 3]")
    assert (row["health.neg_inf"], row["health.min"], row["source.line"]) == (1, -3.0, 3)
    assert row["iteration"] is None


def test_columns_do_not_depend_on_what_is_found(sample_reader: TraceReader) -> None:
    nothing = listing_to_csv(list_tensors(sample_reader, Selection(name="nowhere")))
    assert nothing.rows == ()
    assert nothing.columns == listing_to_csv(list_tensors(sample_reader, Selection())).columns


def test_a_history_says_which_process_it_is_of(sample_reader: TraceReader) -> None:
    processes = {"worker 0": sample_reader, "worker 1": sample_reader}
    table = histories_to_csv(histories_of(processes, lambda reader: history_of(reader, "Log:0", "", 50)))
    at = table.columns.index("process")
    assert [row[at] for row in table.rows] == ["worker 0"] * 3 + ["worker 1"] * 3


def test_inner_tensors_of_layers_have_rows_where_they_are_asked_for(tmp_path: Path) -> None:
    layers = list_layers(layered_trace(tmp_path / "layered"))
    outputs, all_of_them = layers_to_csv(layers, ()), layers_to_csv(layers, layers)
    at = outputs.columns.index("place")
    assert {row[at] for row in outputs.rows} == {"output"}
    assert {row[at] for row in all_of_them.rows} == {"output", "inner"}


def test_no_capture_leaves_the_names_of_columns() -> None:
    assert captures_to_csv(()).columns[:2] == ("path", "id")


def test_a_graph_has_a_row_for_each_operation(sample_reader: TraceReader) -> None:
    table = graph_to_csv(function_graph(sample_reader, "train"))
    x, log, *_ = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    assert (x["name"], x["argument"], x["inputs"]) == ("x", 0, "")
    assert (log["name"], log["inputs"], log["shapes"], log["non_finite"]) == ("Log", "x", "[2, 3]", 1)
    assert (log["source.file"], log["source.line"]) == ("/code/train.py", 3)


def test_a_graph_as_it_ran_has_a_row_for_each_operation(sample_reader: TraceReader) -> None:
    running = (node("x", "_Arg"), node("call/mul", "_FusedMul", "x", parts=("Log", "Mul")))
    GraphFiles(sample_reader.path).write(0, GraphStage.RUN, GraphDefMessage(running).encode())
    table = run_graph_to_csv(run_graph(sample_reader, "train"))
    _, fused = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    assert (fused["name"], fused["inputs"], fused["made_from"]) == ("call/mul", "x", "Log call/mul")


def test_a_comparison_has_a_row_for_each_pair() -> None:
    pair = PairError(0, "Tanh:0", "aten::tanh:0", "a.py:1", "", None, "added", False, 4, 7, 9)
    assert diff_to_csv(Comparison("same", 5, 0, 0, 1e-6, errors=(pair,))).rows == (
        (0, "Tanh:0", "aten::tanh:0", "a.py:1", None, None, "added", 7, 9),
    )
