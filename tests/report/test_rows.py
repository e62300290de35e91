from __future__ import annotations

import datetime as dt
import math

import pyarrow as pa
import pytest

from tensordbg.report.rows import as_csv, as_objects, as_table, cell, plain
from tests.report.rendering import rendered

ANSWER = pa.table({"name": ["Log", "[bold]"], "max": [1.5, math.inf], "n": [1, None]})


def test_table() -> None:
    assert [line.split() for line in rendered(as_table(ANSWER))] == (
        [["name", "max", "n"], ["Log", "1.5", "1"], ["[bold]", "inf", "NULL"]]
    )


def test_csv() -> None:
    assert as_csv(ANSWER) == "name,max,n\nLog,1.5,1\n[bold],inf,\n"


def test_objects_have_only_what_json_has() -> None:
    assert as_objects(ANSWER) == [{"name": "Log", "max": 1.5, "n": 1}, {"name": "[bold]", "max": None, "n": None}]


def test_empty_answer() -> None:
    empty = pa.table({"n": pa.array([], pa.int64())})
    assert (as_csv(empty), as_objects(empty), rendered(as_table(empty))) == ("n\n", [], ["n"])


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ([1.0, math.nan], [1.0, None]),
        ({"a": {1: math.inf}}, {"a": {"1": None}}),
        (dt.date(2026, 1, 2), "2026-01-02"),
        (True, True),
    ],
)
def test_plain(value: object, result: object) -> None:
    assert plain(value) == result


def test_cell_of_a_number_is_short() -> None:
    assert cell(1 / 3) == "0.333333"


def test_null_is_neither_nan_nor_a_text() -> None:
    assert [cell(value) for value in (None, math.nan, -math.inf, "")] == ["NULL", "NaN", "-inf", ""]
