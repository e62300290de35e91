"""What an eager operation is given bears the name that the program's text has for it, in all that is shown of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.analysis.names.listing import Selection, list_tensors
from tensordbg.analysis.tensors.show import history_of
from tensordbg.analysis.why import why
from tensordbg.recording import bound_names
from tensordbg.recording.bound_names import is_distinguishable, mentions, name_at, names_bound, parts_of
from tests.backends.tensorflow.recorded import record, scalars


class Held:
    """Something with attributes, which must not be asked for its class."""

    def __init__(self, table: Any) -> None:
        self.table = table

    @property
    def __class__(self) -> Any:
        raise AssertionError


def found(value: Any) -> list[str]:
    """The names of a value where this is called."""
    return names_bound(sys._getframe(1), lambda each: each is value, lambda file: file == __file__)


def test_names_parts_and_attributes() -> None:
    one, other = object(), object()
    rows, pair, held = {"ids": one, 3: other}, [one, other], Held(other)
    assert (found(one), found(other)) == (["one"], ["other"])
    kept = [one]
    del one, other
    assert (found(rows["ids"]), found(rows[3])) == (["rows['ids']"], ["rows[3]"])
    assert found(pair[1]) == ["pair[1]"]
    assert found(held.table) == ["held.table"]
    assert found(kept[0]) == ["kept[0]"]


def test_only_names_that_the_running_statement_mentions() -> None:
    one = object()
    kept = [one]
    hidden = one
    assert hidden is one
    assert found(kept[0]) == ["kept[0]"]
    assert found(
        hidden,
    ) == ["hidden"]


def test_of_what_python_reckons_first_the_names_are_not_those_of_the_value() -> None:
    rate, n = 2.0, 0

    class Divided:
        def __truediv__(self, other: float) -> tuple[str, ...]:
            return mentions(sys._getframe(1)).names

    x, rows = Divided(), [2.0]
    assert [x / (1 - 0.9**n), x / -rate, x / rate, x / rows[n]] == [("x",), ("x",), ("x", "rate"), ("x", "rows", "n")]


def test_the_name_where_an_error_was_raised_that_the_frame_raised_again() -> None:
    def refuse(value: object) -> None:
        raise ValueError(value)

    given, caught = object(), list[object]()

    def program(again: object) -> None:
        try:
            refuse(again)
        except ValueError:
            caught.append(again)
            raise

    with pytest.raises(ValueError, match="object") as raised:
        program(given)
    traces = [raised.value.__traceback__]
    while (step := traces[-1]) is not None:
        traces.append(step.tb_next)
    assert [name_at(each, lambda value: value is given) for each in traces if each is not None] == [
        "given", "again", "value",
    ]  # fmt: skip


def test_callers_call_it_otherwise() -> None:
    def inner(batch: Any) -> list[str]:
        return found(batch)

    outer = object()
    assert inner(outer) == ["batch", "outer"]


def test_no_code_of_the_program_runs() -> None:
    class Wary:
        def __eq__(self, other: object) -> bool:
            raise AssertionError

        def __hash__(self) -> int:
            raise AssertionError

        def __getattr__(self, name: str) -> Any:
            raise AssertionError

    wary, held, wanted = Wary(), Held(object()), object()

    def is_wanted(each: Any) -> bool:
        return each is wanted

    given = (wary, held.table, names_bound(sys._getframe(), is_wanted, lambda _: True)[:1], wanted)
    assert given[2] == ["wanted"]


@pytest.mark.parametrize("shared", [True, 3, 2.5, "text", None, ()])
def test_what_python_shares_says_nothing(shared: Any) -> None:
    assert not is_distinguishable(shared)
    assert is_distinguishable(np.float32(3.0))


def test_eager_operations(tmp_path: Path) -> None:
    def loss_of(batch: Any, target: Any) -> Any:
        return tf.reduce_sum(tf.subtract(batch, target))

    def program() -> None:
        x, rows = tf.constant([1.0, 2.0]), {"y": np.array([5.0, 5.0], np.float32)}
        weight = tf.Variable(7.0)
        for scale in (tf.constant(2.0), tf.constant(3.0)):
            tf.multiply(loss_of(x, rows["y"]), scale)
            tf.multiply(weight, 3.0)

    reader = record(tmp_path, program).reader
    assert scalars(reader, "scale") == [2, 3]
    assert scalars(reader, "weight") == [7, 7]
    assert scalars(reader, "batch") == scalars(reader, "x") == [2]
    target = history_of(reader, "target")
    assert (target.tensor, target.op_types, target.total) == ("target", ("Input",), 2)
    assert history_of(reader, "rows['y']").total == 2


def test_the_report_names_them(tmp_path: Path) -> None:
    def program() -> None:
        bad = tf.constant([0.0, -1.0])
        tf.math.log(bad)

    (origin,) = why(record(tmp_path, program).reader).origins
    assert [given.tensor for given in origin.inputs] == ["bad:0"]
    assert "bad:0: 1 of its 2 elements is negative" in origin.verdict.explanation


def test_two_that_come_in_at_one_line_are_told_apart(tmp_path: Path) -> None:
    def program() -> None:
        left, right = tf.constant(1.0), tf.constant(2.0)
        for _ in range(2):
            tf.add(left, right)
            left, right = tf.constant(3.0), tf.constant(4.0)

    reader = record(tmp_path, program).reader
    assert (scalars(reader, "left"), scalars(reader, "right")) == ([1, 3], [2, 4])
    assert [point.step for point in history_of(reader, "right").points] == [0, 1]


@pytest.fixture
def without_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Python 3.10, which knows the lines of instructions and no columns."""
    monkeypatch.setattr(bound_names, "_positions", lambda code: ())
    bound_names._by_line.cache_clear()
    monkeypatch.setattr(bound_names, "_by_line", bound_names._by_line.__wrapped__)


@pytest.mark.usefixtures("without_positions")
def test_without_columns_the_names_of_the_line_are_looked_at() -> None:
    one, other = object(), object()
    rows = {"ids": one, 3: other}
    assert (found(one), found(other)) == (["one"], ["other"])
    del one
    assert found(rows["ids"]) == ["rows['ids']"]
    assert mentions(sys._getframe()).constants == ()


@pytest.mark.usefixtures("without_positions")
def test_without_columns_a_recording_goes_on_and_guesses_no_literal(tmp_path: Path) -> None:
    def program() -> None:
        table = tf.constant([1.0, 2.0])
        tf.maximum(table, 0.5)

    trace = record(tmp_path, program)
    assert [each.tensor for each in list_tensors(trace.reader, Selection()).rows] == ["table:0", "Input:0", "Maximum:0"]


class _Settings:
    rate = 0.5

    @property
    def computed(self) -> float:
        raise AssertionError


class _Slots:
    __slots__ = ("beta", "unset")

    def __init__(self) -> None:
        self.beta = 0.25


class _Pair(NamedTuple):
    low: float
    high: float


def test_attributes_of_classes_slots_and_named_tuples_without_running_code_of_the_program() -> None:
    names = ("rate", "computed", "beta", "unset", "low", "high")
    assert dict(parts_of(_Settings, names)) == dict(parts_of(_Settings(), names)) == {".rate": 0.5}
    assert dict(parts_of(_Slots(), names)) == {".beta": 0.25}
    assert dict(parts_of(_Pair(1.0, 2.0), names)) == {".low": 1.0, ".high": 2.0}
