from __future__ import annotations

import csv
from pathlib import Path

import click
import pytest

from tensordbg.cli.arguments import Steps, steps_of
from tensordbg.cli.commands.ls import command
from tests.analysis.graphs.test_layers import layered_trace
from tests.analysis.tensors.test_named_listing import counting
from tests.cli.conftest import Invoke
from tests.sample_trace import TENSOR_EVENTS


def test_table_has_a_line_per_tensor(invoke: Invoke) -> None:
    said = invoke("ls")
    assert said.code == 0
    assert len(said.out.splitlines()) == 1 + TENSOR_EVENTS
    assert said.err == ""
    assert "\x1b" not in said.out


def test_what_is_left_out_is_said_on_standard_error(invoke: Invoke) -> None:
    said = invoke("ls", "--limit", "3")
    assert len(said.out.splitlines()) == 1 + 3
    assert said.err == "3 of 12 tensors; --limit 0 shows all\n"


@pytest.mark.parametrize(
    ("words", "tensors"),
    [
        (["--non-finite"], ["Log:0"]),
        (["--op-type", "Log", "--step", "1"], ["Log:0"]),
        (["--op-type", "Log", "--op-type", "Mul", "--step", "..0"], ["Log:0", "mul:0"]),
        (["--name", "L?g", "--step", "1..2"], ["Log:0", "Log:0"]),
        (["--function", "inner", "--step", "2.."], ["mul:0"]),
        (["--file", "train.py", "--sort", "name", "--reverse", "--limit", "1"], ["x:0"]),
        (["--file", "other.py"], []),
        (["--device", "GPU:0"], []),
        (["--device", "CPU:0", "--non-finite"], ["Log:0"]),
    ],
)
def test_options(invoke: Invoke, words: list[str], tensors: list[str]) -> None:
    listing = invoke("ls", *words, "--json").json
    assert [tensor["tensor"] for tensor in listing["tensors"]] == tensors


def test_trace_may_be_given(invoke: Invoke) -> None:
    assert invoke("ls", "tdbg-traces/sample", "--json").json == invoke("ls", "--json").json


def test_nothing_found(invoke: Invoke) -> None:
    assert invoke("ls", "--name", "nothing").err == "no tensor fits\n"


def test_the_nearest_names(invoke: Invoke) -> None:
    assert invoke("ls", "--name", "Lgo").err == "no tensor fits; did you mean 'Log:0'?\n"


def test_only_a_layer(invoke: Invoke, tmp_path: Path) -> None:
    layered = str(layered_trace(tmp_path / "layered").path)
    assert [line.split()[2] for line in invoke("ls", layered, "--layer", "scale").out.splitlines()[1:]] == ["mul:0"] * 2
    assert invoke("ls", layered, "--layer", "scal").err == (
        "tdbg: error: no layer 'scal' was recorded; did you mean 'scale'?\n"
    )


def test_names_of_the_text_stand_beside_those_of_operations(invoke: Invoke, tmp_path: Path) -> None:
    counted = str(counting(tmp_path / "count").path)
    lines = invoke("ls", counted, "--name", "turnover").out.splitlines()
    assert sum(" while/Placeholder:0 (turnover) " in line for line in lines) == 4
    listed = invoke("ls", counted, "--name", "turnover", "--json").json["tensors"]
    assert ["turnover"] in [each["python_names"] for each in listed]


@pytest.mark.parametrize(
    ("text", "steps"),
    [("3", (3, 3)), ("3..9", (3, 9)), ("3..", (3, None)), ("..9", (None, 9)), ("", (None, None))],
)
def test_steps(text: str, steps: Steps) -> None:
    assert steps_of(click.Context(command), command.params[0], text) == steps


@pytest.mark.parametrize("text", ["x", "1-2", "-1", "1..2..3", "1.5"])
def test_other_steps_are_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        steps_of(click.Context(command), command.params[0], text)


def test_the_processes_of_a_run(invoke: Invoke, sample_run: Path) -> None:
    said = invoke("ls", sample_run.name, "--name", "Log")
    lines = [line.split() for line in said.out.splitlines()]
    assert lines[0][:4] == ["process", "event", "step", "tensor"]
    assert [line[:2] for line in lines[1:]] == [["worker", "0"], ["worker", "1"]] * 3
    listed = invoke("ls", sample_run.name, "--non-finite", "--json").json
    assert [tensor["process"] for tensor in listed["tensors"]] == ["worker 0", "worker 1"]


def test_csv(invoke: Invoke) -> None:
    said = invoke("ls", "--non-finite", "--csv")
    (row,) = csv.DictReader(said.out.splitlines())
    assert (said.code, row["tensor"], row["step"], row["health.neg_inf"]) == (0, "Log:0", "2", "1")


def test_csv_says_beside_what_is_left_out(invoke: Invoke) -> None:
    said = invoke("ls", "--limit", "3", "--csv")
    assert (len(said.out.splitlines()), said.err) == (4, "3 of 12 tensors; --limit 0 shows all\n")


def test_two_forms_are_one_too_many(invoke: Invoke) -> None:
    said = invoke("ls", "--csv", "--json")
    assert said.err == "tdbg: error: --json and --csv are two forms of one listing; give one of them\n"
