"""Forged or odd names in a trace are no harm, and the names that are known are offered where one is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.analysis.program.python_names import noted_names
from tensordbg.analysis.tensors.show import history_of
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.table.history import thinned_history
from tensordbg.cli import main
from tensordbg.console.names.runs import EVERYTHING
from tensordbg.console.names.tensors import find_tensor, parse_tensor
from tensordbg.errors import UsageError
from tensordbg.model import NONE, Site
from tensordbg.trace.reader import TraceReader
from tests.backends.tensorflow.recorded import record, scalars


@pytest.mark.parametrize(
    ("told", "names"),
    [([["a"], []], [["a"], []]), (None, []), ({"a": 1}, []), ([1, ["b", 2]], [[], ["b"]]), ("ab", [])],
)
def test_names_of_a_site(told: Any, names: list[list[str]]) -> None:
    assert noted_names(Site(0, "n", "Neg", NONE, NONE, attributes=json.dumps({"python_names": told}))) == names


def turning_over(folder: Path) -> TraceReader:
    """A loop that counts to three."""

    @tf.function
    def run(turnover: Any) -> Any:
        while turnover < 3:
            turnover += 1
        return turnover

    return record(folder, lambda: run(tf.constant(0))).reader


def test_a_wrong_name_is_answered_with_the_nearest_of_the_text_too(tmp_path: Path) -> None:
    reader = turning_over(tmp_path)
    with pytest.raises(UsageError, match="did you mean 'turnover"):
        history_of(reader, "turnove")


def test_only_in_a_function_of_a_name(tmp_path: Path) -> None:
    @tf.function
    def one(state: Any) -> Any:
        while state < 2:
            state += 1
        return state

    @tf.function
    def other(state: Any) -> Any:
        while state < 2:
            state += 2
        return state

    reader = record(tmp_path, lambda: (one(tf.constant(0)), other(tf.constant(0)))).reader
    assert scalars(reader, "state", "one") == [0, 1, 2]
    assert scalars(reader, "state", "other") == [0, 2]
    assert scalars(reader, "state") == [0, 1, 2, 0, 2]


def test_the_command_the_page_and_the_console_take_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reader = turning_over(tmp_path)
    with pytest.raises(SystemExit, match="0"):
        main(["show", str(reader.path), "turnover"])
    assert [line.split()[1:5] for line in capsys.readouterr().out.splitlines()[-5:-1]] == [
        [str(turn), "int32[]", str(turn), str(turn)] for turn in range(4)
    ]

    opened = OpenedTrace(reader)
    points = thinned_history(opened, "turnover", "", 100).points
    assert [point.health.max for point in points if point.health is not None] == [0, 1, 2, 3]
    assert len(find_tensor(opened, parse_tensor("turnover"), EVERYTHING).events) == 4
    # The operation of that name is the argument alone.
    assert len(find_tensor(opened, parse_tensor("turnover:0"), EVERYTHING).events) == 1
    assert history_of(reader, "turnover:0").total == 1
