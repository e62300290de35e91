"""`enable_dump_debug_info` records what TensorFlow's own does, and what it promises it keeps in every way of ending."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.why import why
from tensordbg.importers.tfdbg2.importing import import_logs
from tensordbg.model import Detail
from tensordbg.tensorflow import disable_dump_debug_info, enable_dump_debug_info
from tensordbg.trace.locate import list_traces
from tensordbg.trace.reader import TraceReader, open_trace
from tests import programs
from tests.backends.tensorflow import dump_both_ways
from tests.backends.tensorflow.dump_both_ways import ARGUMENTS, LAST
from tests.backends.tensorflow.recorded import Recorded, read
from tests.importers.tfdbg2.test_importing import COUNTS, Key, by_operation, wanted

PROGRAM = Path(dump_both_ways.__file__)
ROOT = PROGRAM.parents[3]
Rows = dict[Key, list[dict[str, Any]]]


@pytest.fixture(autouse=True)
def disabled() -> Iterator[None]:
    yield
    disable_dump_debug_info()


def run(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *words] if words else [sys.executable, "-c", program]
    return programs.run(command, env=environment, capture_output=True, text=True, check=False)


class Dumps:
    """What `dump_both_ways.py` recorded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.theirs = cache(self._theirs)

    def ours(self, name: str) -> TraceReader:
        return open_trace(self.folder / name / "ours")

    def _theirs(self, name: str) -> TraceReader:
        (imported,) = import_logs(self.folder / name / "theirs", self.folder / "imported" / name)
        return open_trace(imported.trace)


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> Dumps:
    folder = tmp_path_factory.mktemp("dumps")
    done = run("", str(PROGRAM), str(folder))
    assert done.returncode == 0, done.stderr
    return Dumps(folder)


def operations(rows: Rows) -> Counter[tuple[Any, ...]]:
    """How often each ran; constants by their type, since TensorFlow's debugger makes some of its own."""
    return Counter(
        (function, "Const" if row["op_type"] == "Const" else name, *place)
        for (function, name, *place), found in rows.items()
        for row in found
    )


def test_the_same_operations_without_values(dumps: Dumps) -> None:
    theirs, ours = (
        wanted(by_operation(trace), False) for trace in (dumps.theirs("FULL_TENSOR"), dumps.ours("NO_TENSOR"))
    )
    assert len(ours) > 200
    assert not operations(ours) - operations(theirs)
    check_excess(set(theirs) - set(ours))


def check_excess(keys: set[Key]) -> None:
    """The debugger keeps alive what nothing needs, tensordbg does not: gradients of constants, and loop conditions."""
    assert all("grad" in name or name.endswith("/Less") for _, name, *_ in keys)


@pytest.mark.parametrize("name", [name for name in ARGUMENTS if name not in ("NO_TENSOR", "CURT_HEALTH")])
def test_the_same_tensors_with_the_same_numbers(dumps: Dumps, name: str) -> None:
    theirs, ours = by_operation(dumps.theirs(name)), wanted(by_operation(dumps.ours(name)), False)
    known = {key for key, rows in theirs.items() if rows[0]["size"] is not None}
    if name.endswith("HEALTH"):
        ours = {key: rows for key, rows in ours.items() if rows[0]["dtype"] == "float32"}
    assert ours
    assert set(ours) <= known
    if name != "tensor_dtypes":
        check_excess({key for key in wanted(theirs, False) if key in known} - set(ours))
    for key, rows in ours.items():
        for mine, other in zip(rows, theirs[key], strict=True):
            measured = [column for column in (*COUNTS, "dtype", "shape") if other[column] not in {None, "unknown"}]
            assert {column: mine[column] for column in measured} == {column: other[column] for column in measured}, key


def test_bad_tensors_are_the_same_with_curt_health(dumps: Dumps) -> None:
    def bad(rows: Rows) -> set[Key]:
        return {key for key, found in rows.items() if any(row["first_bad"] not in (None, -1) for row in found)}

    theirs, ours = (
        wanted(by_operation(trace), False) for trace in (dumps.theirs("CURT_HEALTH"), dumps.ours("CURT_HEALTH"))
    )
    assert bad(ours)
    assert bad(ours) == {key for key in bad(theirs) if key in ours}


def executions(trace: TraceReader) -> list[str]:
    """The types of what ran, in order, without what only one of the two calls an execution."""
    sites = trace.sites()
    types = [sites[site].op_type for site in trace.table("executions", ["site"]).column(0).to_pylist()]
    return [each for each in types if each not in {"Input", "VarHandleOp"}]


@pytest.mark.parametrize("name", list(ARGUMENTS))
def test_filters_leave_executions_and_sites_alone(dumps: Dumps, name: str) -> None:
    ours = dumps.ours(name)
    assert executions(ours) == executions(dumps.theirs(name))
    assert len(ours.sites()) == len(dumps.ours("NO_TENSOR").sites())


def test_only_what_passes_the_filters_is_recorded(dumps: Dumps) -> None:
    def seen(name: str, column: str) -> set[str]:
        return {row[column] for rows in by_operation(dumps.ours(name)).values() for row in rows}

    assert seen("op_regex", "op_type") == {"Log", "Mul", "Unpack"}
    assert seen("tensor_dtypes", "dtype") == {"int32", "bool"}
    assert (seen("both_filters", "op_type"), seen("both_filters", "dtype")) == ({"AddV2"}, {"int32"})


def test_the_report_says_what_was_filtered(dumps: Dumps) -> None:
    assert (
        why(dumps.ours("op_regex"))
        .notes[0]
        .startswith("only tensors of operations whose type matches 'Mul|Log|Unpack'")
    )


@pytest.mark.parametrize(("name", "detail"), [("NO_TENSOR", "ops"), ("SHAPE", "shapes"), ("CURT_HEALTH", "health")])
def test_modes_are_details(dumps: Dumps, name: str, detail: str) -> None:
    assert dumps.ours(name).metadata.detail is Detail(detail)


def test_whole_tensors(dumps: Dumps) -> None:
    trace = dumps.ours("FULL_TENSOR")
    rows = [row for row in trace.table("tensors").to_pylist() if row["value_position"] is not None]
    assert len(rows) == trace.tensor_count
    last = [row for row in rows if trace.sites()[row["site"]].op_type == "RealDiv"][-1]
    assert trace.value(last["event"]).tolist() == [-1.0, -1.0, -1.0]


def graph_rows(trace: TraceReader) -> list[dict[str, Any]]:
    sites = trace.sites()
    return [row for row in trace.table("tensors").to_pylist() if sites[row["site"]].function >= 0]


def test_the_circular_buffer_keeps_as_much_as_theirs(dumps: Dumps) -> None:
    theirs, ours = dumps.theirs("circular"), dumps.ours("circular")
    assert len(graph_rows(ours)) == len(graph_rows(theirs)) == LAST
    assert executions(ours) == executions(theirs)
    assert {row["step"] for row in graph_rows(ours)} == {dump_both_ways.STEPS - 1}
    assert ours.facts.overwritten > 100


def test_what_a_killed_process_had_in_its_buffer(dumps: Dumps) -> None:
    killed = open_trace(dumps.folder / "killed")
    assert not killed.finished
    assert len(graph_rows(killed)) == LAST
    assert executions(killed) == executions(dumps.ours("circular"))
    assert {row["step"] for row in graph_rows(killed)} == {dump_both_ways.STEPS - 1}


def test_what_began_before_the_buffer_is_not_blamed_on_what_is_left(dumps: Dumps) -> None:
    # The weights went bad in the step before the last one.
    result = why(dumps.ours("circular"))
    assert {origin.cause for origin in result.origins} == {"before_kept_events"}
    assert any("only the last 40 executions" in note for note in result.notes)


def multiply(x: float) -> None:
    tf.multiply(tf.constant([x, 2.0]), 3.0)


def test_enable_disable_enable_in_one_process_on_one_root(tmp_path: Path) -> None:
    @tf.function
    def logarithm(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(x)

    for _ in range(3):
        enable_dump_debug_info(tmp_path, "FULL_HEALTH")
        logarithm(tf.constant([0.0, 1.0]))
        disable_dump_debug_info()
        disable_dump_debug_info()
        logarithm(tf.constant([0.0, 1.0]))
    traces = list_traces(tmp_path)
    assert len(traces) == 3
    for trace in traces:
        assert len(read(trace).of("Log")) == 1
        assert [origin.cause for origin in why(open_trace(trace)).origins] == ["log_of_zero"]


def test_the_same_call_again_changes_nothing(tmp_path: Path) -> None:
    first = enable_dump_debug_info(tmp_path / "dump", op_regex="Mul", tensor_dtypes=["float32"])
    again = enable_dump_debug_info(f"{tmp_path}/x/../dump", op_regex="Mul", tensor_dtypes=lambda d: d == tf.float32)
    assert again is first
    assert len(list_traces(tmp_path / "dump")) == 1


def test_another_root_goes_on_there(tmp_path: Path) -> None:
    enable_dump_debug_info(tmp_path / "a")
    tf.sin(1.0)
    writer = enable_dump_debug_info(str(tmp_path / "b"))
    tf.cos(1.0)
    disable_dump_debug_info()
    assert writer.dump_root == str(tmp_path / "b")
    assert (executions(open_trace(tmp_path / "a")), executions(open_trace(tmp_path / "b"))) == (["Sin"], ["Cos"])


def test_other_filters_take_effect(tmp_path: Path) -> None:
    enable_dump_debug_info(tmp_path, op_regex="Sin")
    tf.cos(tf.sin(1.0))
    enable_dump_debug_info(tmp_path, op_regex="Cos")
    tf.cos(tf.sin(1.0))
    disable_dump_debug_info()
    assert [[event.name for event in read(trace).events] for trace in list_traces(tmp_path)] == [["Sin"], ["Cos"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"circular_buffer_size": 7},
            r"different circular-buffer size \(1000\).*circular-buffer size \(7\) will not be",
        ),
        ({"tensor_debug_mode": "SHAPE"}, r"different tensor-debug mode \(NO_TENSOR\).*mode \(SHAPE\) size will not be"),
    ],
)
def test_another_mode_or_buffer_is_refused_and_changes_nothing(
    tmp_path: Path, arguments: dict[str, Any], message: str
) -> None:
    enable_dump_debug_info(tmp_path)
    with pytest.raises(ValueError, match=message):
        enable_dump_debug_info(tmp_path / "other", **arguments)
    tf.sin(1.0)
    disable_dump_debug_info()
    assert executions(open_trace(tmp_path)) == ["Sin"]
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("arguments", [{"dump_root": ""}, {"dump_root": "a", "op_regex": "("}])
def test_a_refused_call_leaves_nothing_behind(arguments: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"Empty or None dump root|missing \), unterminated subpattern"):
        enable_dump_debug_info(**arguments)
    disable_dump_debug_info()
    with tensordbg.record(tmp_path):
        pass


def test_a_root_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(tensordbg.RecordingError, match="no trace can be written there"):
        enable_dump_debug_info(tmp_path / "file")


def test_filtered_outputs_keep_their_slots(tmp_path: Path) -> None:
    enable_dump_debug_info(tmp_path, "SHAPE", tensor_dtypes=["int32"])
    tf.unique(tf.constant([3.0, 3.0, 4.0]))
    disable_dump_debug_info()
    (event,) = read(open_trace(tmp_path).path).events
    assert (event.name, event.slot, event.dtype) == ("Unique", 1, "int32")


def test_every_thread_is_recorded(tmp_path: Path) -> None:
    @tf.function
    def double(x: tf.Tensor) -> tf.Tensor:
        return tf.multiply(x, 2.0)

    enable_dump_debug_info(tmp_path, "FULL_TENSOR", circular_buffer_size=-1)
    threads = [threading.Thread(target=double, args=(tf.constant(float(k)),)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    disable_dump_debug_info()
    trace = open_trace(tmp_path)
    values = [float(trace.value(event.number)) for event in read(trace.path).of("Mul")]
    assert sorted(values) == [2.0 * k for k in range(8)]


def test_flushing_keeps_what_the_buffer_holds(tmp_path: Path) -> None:
    writer = enable_dump_debug_info(tmp_path, "FULL_TENSOR", circular_buffer_size=2)
    for number in range(1, 11):
        multiply(float(number))
        if number == 5:
            writer.FlushNonExecutionFiles()
            writer.FlushExecutionFiles()
    writer.Close()
    writer.Close()
    trace = open_trace(tmp_path)
    values = [float(trace.value(event.number)[0]) for event in read(trace.path).of("Mul")]
    assert values == [12.0, 15.0, 27.0, 30.0]
    tf.sin(1.0)
    assert "Sin" not in executions(open_trace(tmp_path))


@pytest.mark.parametrize("size", [1, 10, 500])
def test_the_buffer_holds_the_last_executions_exactly(tmp_path: Path, size: int) -> None:
    enable_dump_debug_info(tmp_path, "FULL_TENSOR", circular_buffer_size=size)
    for number in range(50):
        multiply(float(number))
    disable_dump_debug_info()
    trace = read(open_trace(tmp_path).path)
    values = [float(trace.reader.value(event.number)[0]) for event in trace.of("Mul")]
    assert values == [3.0 * number for number in range(50)][-size:]
    assert [event.step for event in trace.of("Mul")] == list(range(50))[-size:]


def test_a_call_stays_as_long_as_a_tensor_of_it(tmp_path: Path) -> None:
    @tf.function
    def triple(x: tf.Tensor) -> tf.Tensor:
        return tf.multiply(x, 3.0)

    enable_dump_debug_info(tmp_path, "FULL_HEALTH", circular_buffer_size=8)
    for number in range(7):
        triple(tf.constant(float(number)))
    for _ in range(100):
        tf.sin(tf.cos(1.0))
    disable_dump_debug_info()
    trace = read(open_trace(tmp_path).path)
    (function,) = [number for number, known in trace.functions.items() if known.name == "triple"]
    calls = {row["execution"]: row for row in trace.executions if row["function"] == function}
    events = [event for event in trace.events if trace.site_of(event).function == function]
    assert len(events) == 8
    assert {event.execution for event in events} == set(calls)
    assert [(row["end_ns"] is not None, row["step"]) for row in calls.values()][-1] == (True, 6)
    assert len([row for row in trace.executions if row["execution"] not in calls and row["inputs"]]) == 8


def mixed_program() -> None:
    """Calls and eager operations in no regular order, which is always the same."""

    @tf.function
    def chain(x: tf.Tensor, turns: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(turns):
            x = tf.sin(tf.cos(x))
        return tf.tan(x)

    @tf.function
    def outer(x: tf.Tensor) -> tf.Tensor:
        return tf.tan(chain(tf.sin(x), tf.constant(2)))

    chance = random.Random(11)
    x = tf.constant(1.0)
    for _ in range(60):
        action = chance.choice(["chain", "chain", "outer", "eager", "eager", "eager"])
        if action == "chain":
            x = chain(x, tf.constant(chance.randrange(4)))
        else:
            x = outer(x) if action == "outer" else tf.cos(x)


@pytest.mark.parametrize("size", [1, 3, 8, 25, 60, 1000])
def test_what_is_kept_is_the_end_of_all(tmp_path: Path, size: int) -> None:
    def recorded(buffer: int) -> tuple[Recorded, list[Any], list[Any]]:
        folder = tmp_path / str(buffer)
        enable_dump_debug_info(folder, "FULL_HEALTH", buffer, op_regex="Sin|Cos|Tan|Input")
        mixed_program()
        disable_dump_debug_info()
        trace = read(open_trace(folder).path)
        names = {row["execution"]: trace.sites[row["site"]].name for row in trace.executions}
        ran = [(names[row["execution"]], row["step"]) for row in trace.executions if row["inputs"]]
        events = [event for event in trace.events if trace.site_of(event).function >= 0]
        rows = [
            (names[event.execution], event.step, event.name, event.iteration, event.path, event.row["sum"])
            for event in events
        ]
        return trace, ran, rows

    (_, all_ran, all_rows), (kept, ran, rows) = recorded(-1), recorded(size)
    # What runs in a function is recorded by several threads, so nearby events may change places.
    nearby = 8
    assert len(rows) == min(size, len(all_rows))
    assert not Counter(rows) - Counter(all_rows[-size - nearby :])
    assert not Counter(all_rows[len(all_rows) - max(size - nearby, 0) :]) - Counter(rows)
    # Calls of which a tensor is kept are there beyond the last.
    assert ran[-size:] == all_ran[-size:]
    assert set(ran[:-size]) <= {(name, step) for name, step, *_ in rows}
    # The references between executions hold: what an eager operation took is what came before it.
    known = {row["execution"] for row in kept.executions}
    given = [made >> 16 for row in kept.executions[-size:] for made in row["inputs"] if made >= 0]
    assert len(known & set(given)) >= min(size, len(set(given))) - 1


ENDINGS = {
    "pass": (0, {"exit_code": None, "exception": None}),
    "raise ValueError('by the user')": (1, {"exit_code": None, "exception": "ValueError: by the user"}),
    "sys.exit(3)": (3, {"exit_code": None, "exception": None}),
    "os._exit(4)": (4, None),
    "os.kill(os.getpid(), 9)": (-signal.SIGKILL, None),
}


@pytest.mark.parametrize("ending", list(ENDINGS))
def test_every_ending_leaves_the_last_events(tmp_path: Path, ending: str) -> None:
    code, end = ENDINGS[ending]
    done = run(f"""
import os, sys
import tensorflow as tf
from tensordbg.tensorflow import enable_dump_debug_info
enable_dump_debug_info({str(tmp_path)!r}, "FULL_HEALTH", circular_buffer_size=5)
for number in range(12):
    tf.math.log(tf.constant(float(11 - number)))
{ending}
""")
    assert done.returncode == code, done.stderr
    assert "tdbg:" not in done.stderr
    trace = open_trace(tmp_path)
    assert [event.step for event in read(trace.path).of("Log")] == [7, 8, 9, 10, 11]
    assert [origin.cause for origin in why(trace).origins] == ["log_of_zero"]
    assert (trace.facts.end is None) == (end is None)
    if trace.facts.end is not None and end is not None:
        assert (trace.facts.end.exit_code, trace.facts.end.exception) == (end["exit_code"], end["exception"])


def test_a_recording_that_is_under_way_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tensordbg.record(tmp_path / "outer") as recording:
        writer = enable_dump_debug_info(tmp_path / "dump", "FULL_TENSOR")
        tf.sin(1.0)
        writer.FlushExecutionFiles()
        writer.Close()
        disable_dump_debug_info()
        tf.cos(1.0)
    assert executions(open_trace(recording.path)) == ["Sin", "Cos"]
    assert not (tmp_path / "dump").exists()
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "enable_dump_debug_info" in line]
    assert line == (
        f"tdbg: warning: enable_dump_debug_info({str(tmp_path / 'dump')!r}): this process is being recorded into "
        f"{recording.path} already; that recording goes on as it is, and nothing is written into the other folder"
    )
    enable_dump_debug_info(tmp_path / "dump")
    tf.tan(1.0)
    disable_dump_debug_info()
    assert executions(open_trace(tmp_path / "dump")) == ["Tan"]


def test_a_program_that_dumps_runs_under_tdbg(tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(f"""
import tensorflow as tf
import tensordbg.tensorflow
tensordbg.tensorflow.enable_dump_debug_info({str(tmp_path / "dump")!r})
tf.math.log(0.0)
print("done")
""")
    done = run("", "-m", "tensordbg", "run", "--out", str(tmp_path / "runs"), "--last", "50", str(program))
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert "this process is being recorded into" in done.stderr
    trace = open_trace(tmp_path / "runs")
    assert (trace.metadata.last, executions(trace)) == (50, ["Log"])
