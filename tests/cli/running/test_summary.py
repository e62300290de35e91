from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tensordbg.analysis.why import why
from tensordbg.cli.running.summary import summarize
from tensordbg.trace.reader import open_trace
from tests.analysis.warnings.network import network
from tests.trace.builder import Tensor, TraceBuilder, small_program


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def said(trace: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    summarize(trace, 1.25)
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err.splitlines()


def one_tensor(folder: Path, tensor: Tensor) -> Path:
    build = TraceBuilder(folder)
    build.describe(small_program())
    call = build.begin(site=5, function=0)
    build.graph_tensor(1, 0, tensor)
    build.end(call)
    return build.finish()


def test_what_is_not_finite_is_reported(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(Path("tdbg-traces/sample"), capsys)
    assert lines[0] == "tdbg: recorded 12 tensors in 3 steps (1.2 s): tdbg-traces/sample"
    assert lines[1] == "tdbg: 1 of them was not finite"
    assert any("Log:0" in line for line in lines)
    assert lines[-1] == "tdbg: `tdbg why` shows this again, `tdbg ls --non-finite` lists the tensors"
    assert open_trace(sample).sealed_files("tensors")


def test_all_is_finite(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(one_tensor(Path("runs/a"), Tensor()), capsys) == [
        "tdbg: recorded 1 tensor in 1 step (1.2 s): runs/a",
        "tdbg: The only tensor was finite; `tdbg ls runs/a` lists it",
    ]


def test_health_was_not_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(one_tensor(Path("runs/a"), Tensor(health=None)), capsys)[1] == (
        "tdbg: no values were looked at; `tdbg ls runs/a` lists the tensors"
    )


def test_no_operation(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(TraceBuilder(Path("runs/a")).finish(), capsys) == (
        ["tdbg: nothing was recorded: the program ran no operation of TensorFlow or PyTorch"]
    )


def test_no_framework(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(TraceBuilder(Path("runs/a")).kill(), capsys) == (
        ["tdbg: nothing was recorded: the program did not import TensorFlow or PyTorch"]
    )


def test_trace_that_never_began(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = tmp_path / "empty"
    trace.mkdir()
    assert said(trace, capsys) == ["tdbg: nothing was recorded: the program did not start"]
    assert not trace.exists()


def test_a_process_of_a_run_says_where_all_are_read(sample_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(Path("run-traces/trace-0"), capsys)
    assert lines[-2].startswith("tdbg: `tdbg why run-traces/trace-0` shows this again, ")
    assert lines[-1] == "tdbg: `tdbg why run-traces` takes the processes of this run together: worker 0, worker 1"


def test_the_number_of_warnings_comes_last(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (warning,) = why(network({"Relu": lambda _: np.zeros((8, 5))})).warnings
    for warnings, line in (
        ((warning,), "tdbg: 1 warning of finite numbers; `tdbg why runs/a` tells what and where"),
        ((warning, warning), "tdbg: 2 warnings of finite numbers; `tdbg why runs/a` tells what and where"),
    ):
        monkeypatch.setattr(
            "tensordbg.analysis.why.why", lambda reader, found=warnings: replace(why(reader), warnings=found)
        )
        lines = said(one_tensor(Path("runs/a"), Tensor()), capsys)
        assert lines[-1] == line
        assert sum(each.startswith("tdbg: warning: dead_units: ") for each in lines) == len(warnings)
        shutil.rmtree("runs")
