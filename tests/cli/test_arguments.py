"""TRACE, as every command takes it: a trace, a folder of traces, nothing; and what is none of these."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Invoke
from tests.trace.builder import TraceBuilder

COMMANDS = [["why"], ["ls"], ["show", "x"], ["sql", "select 1"], ["export", "out"]]


def with_trace(words: list[str], trace: str) -> list[str]:
    return [words[0], trace, *words[1:]]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_missing_trace(invoke: Invoke, words: list[str]) -> None:
    said = invoke(*with_trace(words, "nowhere"))
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        "tdbg: error: nowhere: does not exist; give a trace, or a folder of traces as `tdbg run` makes it\n"
    )


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_foreign_folder(invoke: Invoke, words: list[str]) -> None:
    Path("photos").mkdir()
    said = invoke(*with_trace(words, "photos"))
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        "tdbg: error: photos: holds no trace; record one with `tdbg run`, or give the folder of another\n"
    )


def test_file_in_place_of_a_folder(invoke: Invoke) -> None:
    Path("train.py").touch()
    said = invoke("why", "train.py")
    assert said.code == 2
    assert said.err.startswith("tdbg: error: train.py: is a file, but a trace is a folder; ")


def test_trace_of_a_newer_format(invoke: Invoke) -> None:
    path = Path("tdbg-traces/sample/trace.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99}))
    said = invoke("why")
    assert said.code == 2
    assert len(said.err.splitlines()) == 1
    assert "99" in said.err


def test_folder_of_traces_means_the_newest(invoke: Invoke) -> None:
    TraceBuilder(Path("tdbg-traces/newer")).finish()
    assert invoke("ls", "--json").json["total"] == 0
    assert invoke("ls", "tdbg-traces/sample", "--json").json["total"] > 0


ONE_PROCESS = [["functions"], ["layers"], ["graph", "train"], ["show", "Log", "--values"]]


@pytest.mark.parametrize("words", ONE_PROCESS, ids=lambda words: words[0])
def test_some_commands_ask_for_one_process(invoke: Invoke, sample_run: Path, words: list[str]) -> None:
    said = invoke(*with_trace(words, sample_run.name))
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        "tdbg: error: run-traces: 2 processes were recorded together; choose one (`--process`, in Python `process=`): "
        "worker 0, worker 1\n"
    )


@pytest.mark.parametrize("words", [*COMMANDS[:2], ["show", "Log"], ["functions"], ["graph", "train"]])
@pytest.mark.parametrize("process", ["1", "worker 1", "trace-1"])
def test_one_process_is_as_its_trace_alone(invoke: Invoke, sample_run: Path, words: list[str], process: str) -> None:
    chosen = invoke(*with_trace(words, sample_run.name), "--process", process, "--json")
    assert chosen.json == invoke(*with_trace(words, f"{sample_run.name}/trace-1"), "--json").json


def test_no_such_process(invoke: Invoke, sample_run: Path) -> None:
    said = invoke("why", sample_run.name, "--process", "2")
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        "tdbg: error: run-traces: there is no process '2' in this run; choose one of worker 0, worker 1\n"
    )


@pytest.mark.parametrize("word", ["tdbg-traces", "tdbg-traces/sample"])
@pytest.mark.parametrize(("name", "missing"), [("show", "NAME[:SLOT]"), ("sql", "QUERY"), ("export", "DIR")])
def test_a_trace_alone_is_no_name(invoke: Invoke, word: str, name: str, missing: str) -> None:
    said = invoke(name, word)
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        f"tdbg: error: {word} is a trace, and {missing} is missing; write it behind: `tdbg {name} {word} {missing}`\n"
    )


def test_the_trace_comes_first(invoke: Invoke) -> None:
    said = invoke("sql", "select 1", "tdbg-traces/sample")
    assert said.err == (
        "tdbg: error: select 1 is no trace, but tdbg-traces/sample is; TRACE comes before QUERY: "
        "`tdbg sql tdbg-traces/sample 'select 1'`\n"
    )
