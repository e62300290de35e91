"""Whether a sealed table holds what it may: the right types are no proof, as anybody can write Parquet.

The JSON lines of an unsealed trace are checked as they are read (`rows.py`); these are the same rules, for columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tensordbg.model import NONE, CallKind
from tensordbg.trace.program.described import is_attributes, is_layer, is_shape, is_tracing
from tensordbg.trace.program.proportion import MOST_SLOTS, most_numbers

_KEYS = frozenset({("sites", "site"), ("functions", "function"), ("stacks", "stack"), ("variables", "variable")})
"""Columns in which each row has a number; elsewhere -1 stands for none."""

_SLOTS = frozenset({"from_slot", "output_slots", "slot", "input"})
_FREE = frozenset({"line", "depth", "path"})
"""Numbers that are the place of nothing."""

_MAY_LACK = frozenset({("variables", "trainable"), ("executions", "end_ns"), ("sites", "backward")})

_ALWAYS = frozenset(
    {"event", "time_ns", "execution", "step", "run", "site", "slot", "path", "frame", "thread", "device", "dtype"}
    | {"function", "begin_ns", "failed", "inputs"}
)
"""Columns of the tables that grow in which no value is missing."""

_BOUNDS: dict[str, tuple[int, int]] = {
    "event": (0, 2**53),
    "execution": (NONE, 2**47),
    "step": (NONE, 2**53),
    "run": (0, 2**53),
    "iteration": (0, 2**53),
    "site": (NONE, 0),
    "function": (NONE, 0),
    "slot": (0, MOST_SLOTS),
    "path": (0, 2**31),
}
"""What numbers in them are at least and stay below; 0 stands for what the trace describes."""

_SUMS = 4
"""Sums that a sketch has."""

_TEXTS: dict[tuple[str, str], Callable[[str], bool]] = {
    ("sites", "attributes"): is_attributes,
    ("sites", "layer"): is_layer,
    ("sites", "call"): lambda text: text in {kind.value for kind in CallKind},
    ("functions", "tracing"): is_tracing,
    ("tensors", "shape"): is_shape,
}


def check_described(name: str, table: pa.Table) -> pa.Table:
    """One of the small tables, if it may hold what it does.

    Raises:
        ValueError: If it may not.
    """
    for column in table.column_names:
        values = table.column(column)
        if (name, column) not in _MAY_LACK:
            _refuse(values.null_count > 0, name, column, "a value is missing")
        if pa.types.is_list(values.type):
            values = pc.list_flatten(values)
            _refuse(values.null_count > 0, name, column, "a value is missing")
        if pa.types.is_integer(values.type):
            _check_numbers(name, column, values, len(table))
        elif (name, column) in _TEXTS:
            _check_texts(name, column, pc.unique(values.cast(pa.string())).to_pylist())
    if name == "functions":
        lengths = [pc.list_value_length(table.column(column)) for column in ("output_sites", "output_slots")]
        _refuse(not lengths[0].equals(lengths[1]), name, "output_slots", "sites and slots differ in number")
    return table


def check_events(name: str, table: pa.Table, most: int) -> pa.Table:
    """Columns of one of the tables that grow, if they may hold what they do.

    Args:
        name: Of the table.
        table: Some of its columns and rows.
        most: What all numbers of sites and functions stay below.

    Raises:
        ValueError: If they may not.
    """
    for column in table.column_names:
        values = table.column(column)
        if column in _ALWAYS:
            _refuse(values.null_count > 0, name, column, "a value is missing")
        if column in _BOUNDS:
            least, end = _BOUNDS[column]
            low, high = (least if value is None else value for value in pc.min_max(values).as_py().values())
            wrong = low if low < least else high
            _refuse(low < least or high >= (end or most), name, column, f"{wrong} is no number of anything")
        if (name, column) == ("tensors", "sketch"):
            lengths = pc.unique(pc.list_value_length(values).drop_null()).to_pylist()
            missing = pc.list_flatten(values).null_count > 0
            _refuse(missing or lengths not in ([], [_SUMS]), name, column, "a sketch is not of four numbers")
        if pa.types.is_dictionary(values.type):
            words = {word for chunk in values.chunks for word in chunk.dictionary.to_pylist()}
            _refuse(None in words, name, column, "a word is missing")
            _check_texts(name, column, words)
    return table


def _check_numbers(name: str, column: str, values: pa.ChunkedArray, rows: int) -> None:
    low, high = (0 if value is None else value for value in pc.min_max(values).as_py().values())
    least = 0 if (name, column) in _KEYS or column in _SLOTS | _FREE else NONE
    most = MOST_SLOTS if column in _SLOTS else 2**31 if column in _FREE else most_numbers(rows)
    _refuse(low < least or high >= most, name, column, f"{low if low < least else high} is no number of anything")


def _check_texts(name: str, column: str, texts: Iterable[str]) -> None:
    right = _TEXTS.get((name, column))
    if right is None:
        return
    for text in texts:
        _refuse(not right(text), name, column, f"{text[:80]!r} can't stand there")


def _refuse(wrong: Any, name: str, column: str, why: str) -> None:
    """Refuses a table.

    Raises:
        ValueError: If something is wrong with it.
    """
    if wrong:
        raise ValueError(f"{name}.{column}: {why}")
