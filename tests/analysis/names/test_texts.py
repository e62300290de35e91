"""The first strings of an event stand in tables as TensorFlow prints them; what can't be read is left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.names.listing import Order, Selection, list_tensors
from tensordbg.trace.reader import TraceReader, open_trace


@pytest.fixture(scope="module")
def keep(tmp_path_factory: pytest.TempPathFactory) -> Callable[[object], TraceReader]:
    """Records one eager tensor of strings with its elements."""

    def record(given: object) -> TraceReader:
        with tensordbg.record(tmp_path_factory.mktemp("run"), detail="values") as recording:
            tf.strings.upper(given)
        return open_trace(recording.path)

    return record


def text(reader: TraceReader) -> str:
    (row,) = list_tensors(reader, Selection(op_types=("StringUpper",)), Order()).rows
    return row.text


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("abc", "b'ABC'"),
        (["a", ""], "[b'A' b'']"),
        ([["a"], ["b\0"]], "[b'A' b'B\\x00']"),
        (list("abcdef"), "[b'A' b'B' b'C' b'D' …]"),
        (["x" * 40], f"[b'{'X' * 32}'…]"),
        (tf.constant([], tf.string), "[]"),
    ],
)
def test_shown(keep: Callable[[object], TraceReader], given: object, shown: str) -> None:
    assert text(keep(given)) == shown


def test_a_lost_file_hides_no_event(keep: Callable[[object], TraceReader]) -> None:
    reader = keep("abc")
    for file in Path(reader.path).glob("values/*.bin"):
        file.unlink()
    assert text(reader) == ""
