from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.names.listing import Listing, Order, Selection, list_tensors
from tensordbg.report.listing import listing_footer, listing_table
from tensordbg.trace.reader import TraceReader
from tests.report.rendering import rendered


def test_row_of_what_is_not_finite(sample_reader: TraceReader) -> None:
    heading, row = rendered(listing_table(list_tensors(sample_reader, Selection(non_finite=True))))
    assert heading.split() == (["event", "step", "tensor", "type", "min", "max", "zeros", "inf", "line"])
    assert row.split() == ["9", "2", "Log:0", "float32[2,", "3]", "-3", "2.5", "3", "1", "train.py:3"]


def test_footer_says_what_is_left_out(sample_reader: TraceReader) -> None:
    listing = list_tensors(sample_reader, Selection(), Order(limit=2))
    assert listing_footer(listing) == "2 of 12 tensors; --limit 0 shows all"


def test_footer_of_a_whole_listing_is_empty(sample_reader: TraceReader) -> None:
    assert listing_footer(list_tensors(sample_reader, Selection())) == ""


def test_footer_of_nothing() -> None:
    assert listing_footer(Listing(total=0, rows=())) == "no tensor fits"


def test_nothing_is_lost_where_there_is_little_room(sample_reader: TraceReader) -> None:
    narrow = rendered(listing_table(list_tensors(sample_reader, Selection(name="Log"))), width=80)
    assert [name in narrow[0] for name in ("event", "tensor", "type", "min", "line")] == [True] * 5
    assert not any("…" in line for line in narrow)


def test_the_variable_of_which_a_tensor_is_the_value(sample_reader: TraceReader) -> None:
    listing = list_tensors(sample_reader, Selection(non_finite=True))
    read, own = (replace(listing.rows[0], variables=(name,)) for name in ("kernel", "Log"))
    _, first, second = rendered(listing_table(replace(listing, rows=(read, own))))
    assert "Log:0 (kernel)  float32" in first
    assert "Log:0           float32" in second


def test_devices_where_an_operation_ran_elsewhere_than_the_program_asked(sample_reader: TraceReader) -> None:
    listing = list_tensors(sample_reader, Selection(non_finite=True))
    moved = replace(listing.rows[0], asked="/job:localhost/replica:0/task:0/device:GPU:0")
    heading, row = rendered(listing_table(replace(listing, rows=(moved,))))
    assert heading.split()[-3:] == ["device", "asked", "line"]
    assert row.split()[-3:] == ["CPU:0", "GPU:0", "train.py:3"]


def test_several_devices(sample_reader: TraceReader) -> None:
    listing = list_tensors(sample_reader, Selection(name="Log"))
    rows = [replace(row, device=f"/device:CPU:{k}") for k, row in enumerate(listing.rows)]
    lines = rendered(listing_table(replace(listing, rows=tuple(rows))))
    assert [line.split()[-2] for line in lines] == ["device", "CPU:0", "CPU:1", "CPU:2"]


def test_empty_listing_has_its_heading() -> None:
    assert len(rendered(listing_table(Listing(total=0, rows=())))) == 1
