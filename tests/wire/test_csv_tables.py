from __future__ import annotations

from pathlib import Path

from tensordbg.analysis.graphs.layers import list_layers
from tensordbg.analysis.names.listing import Selection, list_tensors
from tensordbg.analysis.tensors.show import histories_of, history_of
from tensordbg.trace.reader import TraceReader
from tensordbg.wire.csv_tables import captures_to_csv, histories_to_csv, layers_to_csv, listing_to_csv
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
