from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.overview import ending, read_overview
from tensordbg.trace.folders.runs import find_run
from tensordbg.trace.program.facts import End
from tensordbg.trace.reader import open_trace


def test_one_process(sample: Path) -> None:
    run = find_run(sample)
    found = read_overview(run, {run.processes[0].name: OpenedTrace(open_trace(sample))})
    (process,) = found.processes
    assert (process.name, process.tensor_events, process.executions) == ("", 12, 6)
    assert (process.running, process.ended) == (False, "exit code 0")
    assert found.frameworks == ("tensorflow 2.21.0",)
    assert found.notes == ("inner: not compiled by XLA",)


def test_several_processes_have_names(sample_run: Path) -> None:
    run = find_run(sample_run)
    opened = {process.name: OpenedTrace(open_trace(process.folder)) for process in run.processes}
    found = read_overview(run, opened)
    assert [process.name for process in found.processes] == ["worker 0", "worker 1"]
    assert found.notes == tuple(f"worker {k}: inner: not compiled by XLA" for k in (0, 1))


def test_damage_is_said(sample: Path) -> None:
    with (sample / "sites.jsonl").open("a") as file:
        file.write("{nonsense\n{}\n")
    run = find_run(sample)
    found = read_overview(run, {run.processes[0].name: OpenedTrace(open_trace(sample))})
    assert any("of its events and lines can't be read" in note for note in found.notes)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (End(0, exit_code=3), "exit code 3"),
        (End(0, signal=int(signal.SIGTERM)), "killed by SIGTERM"),
        (End(0, signal="SIGKILL"), "killed by SIGKILL"),
        (End(0, exit_code=1, exception="ValueError: no"), "ValueError: no"),
        (End(0), "ended"),
        (None, "killed, or its machine went down: it could not say how it ended"),
    ],
)
def test_endings(end: End | None, words: str) -> None:
    assert ending(end) == words
