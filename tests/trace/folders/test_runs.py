"""Which traces of a folder are the processes of one run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tensordbg.errors import TraceError, UsageError
from tensordbg.trace.folders.runs import find_run
from tests.trace.builder import GONE, TraceBuilder, small_program

SECOND = 1_000_000_000


def process(
    folder: Path, name: str, begin: int, end: int | None, *runs: str, index: int | None = None, task: str = "worker"
) -> Path:  # fmt: skip
    """A trace of a process that was alive from second to second; one without an end was killed a second after."""
    build = TraceBuilder(folder / name)
    build.describe(small_program())
    call = build.begin(site=6)
    build.eager_tensor(call, 6)
    build.end(call)
    if end is not None:
        build.writer.fact({"end": {"time_ns": end * SECOND, "exit_code": 0}})
    trace = build.kill()
    place = {"runs": list(runs), "task": task if index is not None else "", "index": index}
    change(trace, created_ns=begin * SECOND, clock_offset_ns=(begin + 1) * SECOND, process=place)
    return trace


def change(trace: Path, **values: Any) -> None:
    path = trace / "trace.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def members(path: Path) -> dict[str, str]:
    return {each.name: each.folder.name for each in find_run(path).processes}


def test_one_process_alone(tmp_path: Path) -> None:
    process(tmp_path, "a", 1, 2, "run:a")
    process(tmp_path, "b", 1, 3, "run:b")
    assert members(tmp_path) == {"train": "b"}
    assert members(tmp_path / "a") == {"train": "a"}


def test_the_workers_of_a_cluster_in_their_order(tmp_path: Path) -> None:
    process(tmp_path, "a", 10, 20, "run:a", "cluster:x", index=1)
    process(tmp_path, "b", 11, 20, "run:b", "cluster:x", index=0)
    process(tmp_path, "c", 12, 20, "cluster:x", index=10)
    process(tmp_path, "d", 9, 20, "cluster:y", index=2)
    assert members(tmp_path) == {"worker 0": "b", "worker 1": "a", "worker 10": "c"}


def test_the_trace_of_one_process_is_that_process_alone(tmp_path: Path) -> None:
    trace = process(tmp_path, "a", 10, 20, "cluster:x", index=1)
    process(tmp_path, "b", 11, 20, "cluster:x", index=0)
    assert members(trace) == {"worker 1": "a"}


def test_runs_one_after_the_other_are_told_apart(tmp_path: Path) -> None:
    for begin, names in ((10, "ab"), (30, "cd")):
        for index, name in enumerate(names):
            process(tmp_path, name, begin + index, begin + 15, "cluster:x", index=index)
    assert members(tmp_path) == {"worker 0": "c", "worker 1": "d"}


def test_processes_that_were_killed_end_when_they_were_last_heard_of(tmp_path: Path) -> None:
    for begin, names in ((10, "ab"), (30, "cd")):
        for index, name in enumerate(names):
            process(tmp_path, name, begin, None, "cluster:x", index=index)
    assert members(tmp_path) == {"worker 0": "c", "worker 1": "d"}


def test_a_worker_that_was_started_again_belongs_to_those_that_went_on(tmp_path: Path) -> None:
    process(tmp_path, "a", 10, 50, "cluster:x", index=0)
    process(tmp_path, "b", 10, 20, "cluster:x", index=1)
    process(tmp_path, "c", 30, 50, "cluster:x", index=1)
    change(tmp_path / "c", pid=GONE + 1)
    assert members(tmp_path) == {
        "worker 0": "a",
        f"worker 1 (process {GONE})": "b",
        f"worker 1 (process {GONE + 1})": "c",
    }


def test_processes_of_one_number_on_several_machines(tmp_path: Path) -> None:
    for name in "ab":
        process(tmp_path, name, 10, 20, "run:x")
    assert list(members(tmp_path)) == [f"train (process {GONE})", f"train (process {GONE}) #2"]


def test_a_program_and_what_it_started(tmp_path: Path) -> None:
    process(tmp_path, "parent", 10, 60, "run:parent")
    process(tmp_path, "a", 20, 30, "run:parent", index=0)
    process(tmp_path, "b", 40, 50, "run:parent", index=1)
    assert members(tmp_path) == {"train": "parent", "worker 0": "a", "worker 1": "b"}


def test_what_the_program_said_later_counts(tmp_path: Path) -> None:
    process(tmp_path, "a", 10, 20, "cluster:x", index=0)
    trace = process(tmp_path, "b", 12, 20, "run:b")
    said = {"process": {"runs": ["cluster:x"], "task": "worker", "index": 1}}
    with (trace / "facts.jsonl").open("a") as file:
        file.write(json.dumps(said) + "\n")
    assert members(tmp_path) == {"worker 0": "a", "worker 1": "b"}


def test_a_trace_that_cannot_be_read_belongs_to_no_run(tmp_path: Path) -> None:
    process(tmp_path, "a", 10, 20, "cluster:x", index=0)
    process(tmp_path, "b", 9, 20, "cluster:x", index=1)
    change(tmp_path / "b", format=999)
    assert members(tmp_path) == {"worker 0": "a"}


def test_no_trace(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="holds no trace"):
        find_run(tmp_path)


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    process(tmp_path, "a", 10, 20, "run:x", index=0, task="chief")
    process(tmp_path, "b", 10, 20, "run:x", index=0)
    process(tmp_path, "c", 10, 20, "run:x", index=1)
    return tmp_path


@pytest.mark.parametrize("wanted", ["worker 1", "1", "c"])
def test_a_process_is_chosen(pair: Path, wanted: str) -> None:
    assert find_run(pair).process(wanted).folder.name == "c"


def test_no_such_process(pair: Path) -> None:
    run = find_run(pair)
    with pytest.raises(UsageError) as none:
        run.process("7")
    assert str(none.value) == (
        f"{pair}: there is no process '7' in this run; choose one of chief 0, worker 0, worker 1"
    )
    with pytest.raises(UsageError, match="there is more than one process '0' in this run"):
        run.process("0")


def test_the_only_process(pair: Path) -> None:
    assert find_run(pair / "c").only().name == "worker 1"
    with pytest.raises(UsageError) as error:
        find_run(pair).only()
    assert str(error.value) == (
        f"{pair}: 3 processes were recorded together; choose one (`--process`, in Python `process=`): chief 0, "
        "worker 0, worker 1"
    )


def test_what_leads_to_a_run_when_there_is_a_newer_one(tmp_path: Path) -> None:
    process(tmp_path, "a", 1, 2, "run:a")
    assert find_run(tmp_path).lasting_path == tmp_path / "a"
    process(tmp_path, "b", 10, 20, "cluster:x", index=0)
    process(tmp_path, "c", 10, 20, "cluster:x", index=1)
    assert find_run(tmp_path).lasting_path == tmp_path
