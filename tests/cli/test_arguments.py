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
