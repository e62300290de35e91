"""A program's own filter stops it where it is debugged, and is nothing elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.console.console import Console
from tensordbg.console.running import Go, GoKind
from tests.debug.told import EXIT, debugged


@tf.function
def doubled(x: tf.Tensor) -> tf.Tensor:
    return tf.multiply(x, 2.0, name="Doubled")


def large(tensor: Any, value: Any) -> bool:
    return bool(tensor.op_name == "Doubled" and value is not None and value.max() > 5)


def till_large(console: Console) -> Go:
    return Go(GoKind.RUN, till=console.filters.parse("large"))


def test_a_program_stops_where_its_own_filter_passes(tmp_path: Path) -> None:
    with debugged(tmp_path / "trace", till_large, EXIT) as (face, _):
        tensordbg.add_filter("large", large)
        with pytest.raises(SystemExit):
            [doubled(tf.constant(value)) for value in (1.0, 2.0, 3.0, 4.0)]
    assert face.seen == [("before", 1), ("after", 3)]
    assert face.stops[-1].filter == "large"


def test_a_name_that_can_be_none_is_refused(tmp_path: Path) -> None:
    with debugged(tmp_path / "trace"), pytest.raises(tensordbg.UsageError, match="can't be named 'and'"):
        tensordbg.add_filter("and", large)


def test_where_nobody_debugs_nothing_happens(tmp_path: Path) -> None:
    tensordbg.add_filter("large", large)
    with tensordbg.record(tmp_path):
        tensordbg.add_filter("large", large)
