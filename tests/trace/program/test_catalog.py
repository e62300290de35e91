from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from tensordbg.model import NONE
from tensordbg.trace.program.catalog import Catalog, read_catalog
from tensordbg.trace.program.rows import site_row
from tests.trace.builder import TraceBuilder, small_program

PROGRAM = small_program()


def catalog_of(folder: Path) -> Catalog:
    return read_catalog(folder, 1)


def test_reads_everything_by_number(trace: Path) -> None:
    catalog = catalog_of(trace)
    assert list(catalog.sites.values()) == list(PROGRAM.sites)
    assert list(catalog.functions.values()) == list(PROGRAM.functions)
    assert catalog.stacks == dict(enumerate(PROGRAM.stacks))
    assert list(catalog.sources) == ["/code/train.py"]
    assert catalog.variables[0].name == "kernel"
    assert catalog.paths == {0: "", 1: "call"}
    assert catalog.devices == {0: "", 1: "/device:CPU:0"}
    assert catalog.damaged == 0


def test_later_row_replaces_and_order_is_that_of_numbers(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "trace")
    build.writer.sites(reversed(PROGRAM.sites))
    build.writer.site(replace(PROGRAM.sites[1], called=("later",)))
    catalog = catalog_of(build.kill())
    assert list(catalog.sites) == list(range(7))
    assert catalog.sites[1].called == ("later",)


def test_damaged_lines_are_counted_and_passed_over(trace: Path) -> None:
    with (trace / "sites.jsonl").open("a") as file:
        file.write("{}\n" + json.dumps({**site_row(PROGRAM.sites[0]), "call": "?"}) + '\nnothing\n{"site": 9')
    catalog = catalog_of(trace)
    assert catalog.damaged == 3
    assert len(catalog.sites) == 7


def test_stack_without_frames_is_left_out(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "trace")
    build.writer.stack(4, [])
    assert catalog_of(build.kill()).stacks == {}


def test_empty_folder(tmp_path: Path) -> None:
    assert catalog_of(tmp_path) == Catalog(described=False)  # of a program that has not ended, some lines may be lost


def test_what_nothing_describes_stands_for_itself(tmp_path: Path) -> None:
    catalog = catalog_of(tmp_path)
    assert (catalog.sites[7].name, catalog.sites[7].function, catalog.functions[3].name) == ("lost_7", NONE, "lost_3")
    assert (dict(catalog.sites), dict(catalog.functions)) == ({}, {})
