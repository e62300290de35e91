from __future__ import annotations

import math

import msgspec
import pyarrow as pa

from tensordbg.wire.view.answer_table import AnswerColumn, answer_table


def test_what_json_lacks_is_told_in_words() -> None:
    table = pa.table({"x": [1.5, math.nan, -math.inf, None], "n": [1, 2**60, None, 3], "t": ["a", None, "b", ""]})
    found = answer_table(table, 10)
    assert found.columns == (AnswerColumn("x", True), AnswerColumn("n", True), AnswerColumn("t", False))
    assert found.rows == ((1.5, 1, "a"), ("nan", str(2**60), None), ("-inf", None, "b"), (None, 3, ""))
    assert msgspec.json.decode(msgspec.json.encode(found))["total"] == 4


def test_only_the_first_rows_come_and_all_are_counted() -> None:
    found = answer_table(pa.table({"x": range(100)}), 3)
    assert ([row[0] for row in found.rows], found.total) == ([0, 1, 2], 100)


def test_lists_and_truths_are_no_numbers() -> None:
    found = answer_table(pa.table({"l": [[1, 2]], "b": [True], "none": pa.array([None], pa.int64())}), 10)
    assert [column.numeric for column in found.columns] == [False, False, False]
    assert found.rows == (("[1, 2]", True, None),)
