"""What is imported is compared with what tensordbg itself recorded of the same program, operation by operation."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tensordbg.analysis.finding import WhyResult
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.why import why
from tensordbg.errors import TraceError, UsageError
from tensordbg.importers.tfdbg2.importing import import_logs
from tensordbg.model import SOMEWHERE
from tensordbg.trace.reader import TraceReader, open_trace
from tests.importers.tfdbg2.both_ways import BAD_STEP, MODES
from tests.importers.tfdbg2.conftest import PROGRAM, Recordings
from tests.importers.tfdbg2.logbuilder import BAD, LogBuilder

COUNTS = ("size", "negative", "zero", "positive", "neg_inf", "pos_inf", "nan")
STATISTICS = ("subnormal", "first_bad", "min", "max", "sum", "sum_squares")
SUMMARISED = ("CONCISE_HEALTH", "FULL_HEALTH", "FULL_TENSOR")
LINE = PROGRAM.read_text().splitlines().index("        return tf.math.log(x) * 2.0  # the origin") + 1

Key = tuple[str, str, int, int, int | None]


def by_operation(reader: TraceReader) -> dict[Key, list[dict[str, Any]]]:
    """The events of each operation: its Python function, name and slot, with step and turn of the loop."""
    program = read_program(reader)
    found: dict[Key, list[dict[str, Any]]] = {}
    for row in reader.table("tensors").to_pylist():
        site = program.sites[row["site"]]
        function = program.python_names.get(site.function, "")
        row["op_type"] = site.op_type
        found.setdefault((function, site.name, row["slot"], row["step"], row["iteration"]), []).append(row)
    return found


def wanted(rows: dict[Key, list[dict[str, Any]]], floats_only: bool) -> dict[Key, list[dict[str, Any]]]:
    """Without what only one of the two records.

    TensorFlow's debugger leaves out arguments of functions, and what branches and loops hand on, which tensordbg
    records where the text has a name for it; tensordbg the arguments of loops and branches, constants of whole numbers
    and handles. What is put into the eager program from outside is an operation only for tensordbg.
    """
    left_out = {"Identity", "Input", "Placeholder", "VarHandleOp"}
    kept = {key: rows for key, rows in rows.items() if rows[0]["op_type"] not in left_out}
    kept = {key: rows for key, rows in kept.items() if rows[0]["op_type"] != "Const" or rows[0]["dtype"] == "float32"}
    return {key: rows for key, rows in kept.items() if not floats_only or rows[0]["dtype"] == "float32"}


@pytest.mark.parametrize("mode", ["FULL_HEALTH", "FULL_TENSOR"])
def test_the_same_operations_with_the_same_counts(recordings: Recordings, mode: str) -> None:
    floats_only = mode == "FULL_HEALTH"
    imported = wanted(by_operation(recordings.mode(mode)), floats_only)
    native = wanted(by_operation(recordings.native), floats_only)
    assert len(native) > 100
    assert set(native) <= set(imported)
    columns = (*COUNTS, "dtype", *(() if floats_only else ("shape", *STATISTICS)))
    for key, rows in native.items():
        for name in columns:
            assert [row[name] for row in imported[key]] == pytest.approx([row[name] for row in rows], nan_ok=True), key
    # The debugger keeps alive what nothing needs, tensordbg does not: gradients of constants, and loop conditions.
    assert all("grad" in name or name.endswith("/Less") for _, name, *_ in set(imported) - set(native))


def test_every_mode_sees_the_same_operations(recordings: Recordings) -> None:
    def operations(mode: str) -> Counter[tuple[Any, ...]]:
        # Without the names of constants: with NO_TENSOR the debugger makes some of its own, which shifts the numbers.
        rows = [(key, row) for key, found in by_operation(recordings.mode(mode)).items() for row in found]
        return Counter(
            (function, row["op_type"] if "Const" in name else name, *place) for (function, name, *place), row in rows
        )

    assert operations("NO_TENSOR") == operations("SHAPE") == operations("FULL_TENSOR")
    assert operations("CURT_HEALTH") == operations("CONCISE_HEALTH") == operations("FULL_HEALTH")


def columns_of(reader: TraceReader) -> dict[str, set[bool]]:
    """For each column whether it is null in the events of the graph's float operations."""
    rows = [row for key, found in by_operation(reader).items() for row in found if key[1].endswith("Log") and key[0]]
    assert rows
    return {name: {row[name] is None for row in rows} for name in ("shape", *COUNTS, *STATISTICS)}


@pytest.mark.parametrize(
    ("mode", "known"),
    [
        ("NO_TENSOR", set()),
        ("CURT_HEALTH", {"first_bad"}),
        ("CONCISE_HEALTH", {"first_bad", "size", "neg_inf", "pos_inf", "nan"}),
        ("FULL_HEALTH", {"shape", "first_bad", *COUNTS}),
        ("SHAPE", {"shape", "size"}),
        ("FULL_TENSOR", {"shape", *COUNTS, *STATISTICS}),
    ],
)
def test_what_a_mode_did_not_measure_is_null(recordings: Recordings, mode: str, known: set[str]) -> None:
    assert columns_of(recordings.mode(mode)) == {name: {name not in known} for name in ("shape", *COUNTS, *STATISTICS)}


@pytest.mark.parametrize("mode", ["CONCISE_HEALTH", "FULL_TENSOR"])
def test_bad_tensors_are_the_same_in_every_mode(recordings: Recordings, mode: str) -> None:
    def bad(reader: TraceReader) -> set[Key]:
        return {
            key
            for key, rows in by_operation(reader).items()
            if any((row["first_bad"] or 0) == SOMEWHERE or (row["nan"] or 0) + (row["neg_inf"] or 0) for row in rows)
            and rows[0]["dtype"] in ("float32", "unknown")
        }

    assert bad(recordings.mode(mode)) <= bad(recordings.mode("CURT_HEALTH"))
    assert bad(recordings.mode("FULL_HEALTH")) == bad(recordings.mode("CURT_HEALTH"))


@pytest.mark.parametrize("mode", [*SUMMARISED, "CURT_HEALTH"])
def test_why_names_the_origin_with_its_line(recordings: Recordings, mode: str) -> None:
    first = why(recordings.mode(mode)).origins[0]
    assert (first.view.tensor, first.view.function, first.view.step) == ("Log:0", "logarithm", BAD_STEP)
    assert first.source is not None
    assert (first.source.file, first.source.line) == (str(PROGRAM), LINE)
    assert {"gradient", "variable", "output"} <= set(first.reaches)


@pytest.mark.parametrize("mode", SUMMARISED)
def test_why_agrees_with_what_tensordbg_recorded(recordings: Recordings, mode: str) -> None:
    def causes(result: WhyResult) -> dict[str, str]:
        return {origin.view.tensor: origin.verdict.cause for origin in result.origins}

    imported, native = causes(why(recordings.mode(mode))), causes(why(recordings.native))
    assert imported["Log:0"] == native["Log:0"] == "log_of_zero"
    assert set(imported) == set(native)


def test_modes_without_values_say_so(recordings: Recordings) -> None:
    assert [why(recordings.mode(mode)).measured for mode in MODES] == [False, True, True, True, False, True]


def test_of_a_circular_buffer_the_end_is_there(recordings: Recordings) -> None:
    whole, part = recordings.mode("FULL_HEALTH"), recordings.imported("circular/FULL_HEALTH")
    assert 40 <= part.tensor_count < whole.tensor_count
    last = [key[:3] for key in by_operation(part) if key[0]]
    assert set(last) <= {key[:3] for key in by_operation(whole)}


def test_of_a_killed_program_what_was_flushed_is_there(recordings: Recordings) -> None:
    reader = recordings.imported("killed")
    assert not reader.running
    (first, *_) = why(reader).origins
    assert first.view.tensor == "Log:0"
    assert reader.damage == 0


def test_several_runs_in_one_folder(recordings: Recordings, tmp_path: Path) -> None:
    imported = import_logs(recordings.log("modes"), tmp_path / "out")
    assert sorted(each.log.folder.name for each in imported) == sorted(MODES)
    assert len({each.trace for each in imported}) == len(MODES)
    for each in imported:
        reader = open_trace(each.trace)
        assert (reader.tensor_count, len(reader.table("executions"))) == (each.tensors, each.executions)
        assert reader.facts.frameworks["tensorflow"]
        assert reader.finished
        assert list((each.trace / "segments").glob("*")) == []  # sealed


def test_a_trace_for_each_host_of_a_run(tmp_path: Path) -> None:
    chief, worker = LogBuilder(tmp_path / "log", "chief", 10), LogBuilder(tmp_path / "log", "worker", 11)
    chief.function()
    chief.trace("g1", "Log", 1.0)
    chief.execution("__inference_train_9", 2.0, graph_id="g1")
    worker.trace("g1", "Log", 1.0, BAD)
    found = {each.log.host: each for each in import_logs(tmp_path / "log", tmp_path / "out")}
    assert (found["chief"].tensors, found["worker"].tensors) == (1, 1)
    (origin,) = why(open_trace(found["worker"].trace)).origins
    assert origin.view.tensor == "Log:0"


def test_an_empty_log_is_an_empty_trace(log: LogBuilder, tmp_path: Path) -> None:
    (imported,) = import_logs(log.folder, tmp_path / "out")
    assert (imported.executions, imported.tensors) == (0, 0)
    assert open_trace(imported.trace).tensor_count == 0


def test_a_folder_that_cannot_be_written(log: LogBuilder, tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(UsageError, match="choose another folder"):
        import_logs(log.folder, tmp_path / "out")


def test_a_damaged_log_leaves_nothing_behind(log: LogBuilder, tmp_path: Path) -> None:
    log.function()
    data = bytearray(log.path("graphs").read_bytes())
    data[20] ^= 1
    log.path("graphs").write_bytes(data)
    with pytest.raises(TraceError, match="is damaged"):
        import_logs(log.folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("seed", range(20))
def test_any_change_of_a_log_is_refused_or_read(log: LogBuilder, tmp_path: Path, seed: int) -> None:
    """Messages are changed inside of records whose checksums fit, which is worse than any damage."""
    chance = random.Random(seed)
    log.function()
    log.frame("f1", 3)
    for time in range(6):
        log.trace("g1", chance.choice(["Log", "x", "none"]), float(time), [chance.choice([7, -1, 1e300, 2])] * 11)
        log.execution("__inference_train_9", time + 0.5, graph_id="g1", input_tensor_ids=[chance.randrange(-9, 9)])
    from tests.importers.tfdbg2.logbuilder import record

    for kind in ("graphs", "graph_execution_traces", "execution", "source_files", "stack_frames"):
        path = log.path(kind)
        events = list(records_of(path))
        for _ in range(chance.randrange(1, 8)):
            number = chance.randrange(len(events))
            event = bytearray(events[number])
            event[chance.randrange(len(event))] = chance.randrange(256)
            events[number] = bytes(event)
        path.write_bytes(b"".join(map(record, events)))
    try:
        for imported in import_logs(log.folder, tmp_path / "out"):
            why(open_trace(imported.trace))
    except (TraceError, UsageError):
        assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


def records_of(path: Path) -> list[bytes]:
    from tensordbg.importers.tfdbg2.records import read_records

    return list(read_records(path))


@pytest.mark.parametrize("seed", range(6))
def test_files_cut_anywhere_are_read(recordings: Recordings, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    folder = tmp_path / "log"
    shutil.copytree(recordings.log("modes/FULL_HEALTH"), folder)
    for path in folder.iterdir():
        if chance.random() < 0.7:
            with path.open("r+b") as file:
                file.truncate(chance.randrange(path.stat().st_size))
    (imported,) = import_logs(folder, tmp_path / "out")
    assert len(by_operation(open_trace(imported.trace))) <= imported.tensors
    why(open_trace(imported.trace))
