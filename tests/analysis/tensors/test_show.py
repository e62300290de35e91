from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.analysis.tensors.show import TensorHistory, histories_of, history_of
from tensordbg.errors import UsageError
from tensordbg.model import Health
from tensordbg.trace.reader import TraceReader, open_trace
from tests.trace.builder import Tensor, TraceBuilder, small_program


def test_history_is_in_order(sample_reader: TraceReader) -> None:
    history = history_of(sample_reader, "Log:0")
    assert (history.tensor, history.op_types, history.functions) == ("Log:0", ("Log",), ("train",))
    assert [point.step for point in history.points] == [0, 1, 2]
    assert [point.health.min for point in history.points if point.health] == [-1.0, -2.0, -3.0]


def test_slot_is_0_by_default(sample_reader: TraceReader) -> None:
    assert history_of(sample_reader, "Log") == history_of(sample_reader, "Log:0")


def test_source_has_its_text(sample_reader: TraceReader) -> None:
    (source,) = history_of(sample_reader, "Log").sources
    assert (source.file, source.line, source.text) == ("/code/train.py", 3, "import tensorflow")


def test_limit_keeps_the_last_where_all_is_finite(sample_reader: TraceReader) -> None:
    history = history_of(sample_reader, "x", limit=2)
    assert ([point.step for point in history.points], history.skipped, history.total) == ([1, 2], 1, 3)


def test_limit_keeps_what_is_around_the_first_that_is_not_finite(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "trace")
    build.describe(small_program())
    for step in range(20):
        call = build.begin(site=5, function=0, step=step)
        build.graph_tensor(step + 70, 1, Tensor(health=Health(size=6, nan=int(step >= 8))))
        build.end(call)
    history = history_of(open_trace(build.finish()), "Log", limit=4)
    assert [point.step for point in history.points] == [6, 7, 8, 9]
    assert (history.skipped, history.total) == (6, 20)


def test_limit_counts_in_the_order_of_the_program_not_of_the_recording(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "trace")
    build.describe(small_program())
    calls = [build.begin(site=6, step=step) for step in range(20)]
    # As where what runs ahead in a pipeline is recorded before what the program had done till then.
    for step in (*range(10, 20), *range(10)):
        build.eager_tensor(calls[step], 6, Tensor(health=Health(size=6, nan=int(step == 2))))
    for call in calls:
        build.end(call)
    history = history_of(open_trace(build.finish()), "Add", limit=4)
    assert [point.execution for point in history.points] == calls[:4]
    assert (history.skipped, history.total) == (0, 20)


def test_unknown_name_gets_near_ones(sample_reader: TraceReader) -> None:
    with pytest.raises(UsageError) as caught:
        history_of(sample_reader, "Logg")
    assert str(caught.value) == f"no tensor 'Logg:0' in {sample_reader.path}; did you mean 'Log:0'?"


def test_unknown_name_far_from_all(sample_reader: TraceReader) -> None:
    with pytest.raises(UsageError, match="; `tdbg ls` lists the tensors"):
        history_of(sample_reader, "qqqqqqqqq")


def test_name_in_another_function(sample_reader: TraceReader) -> None:
    with pytest.raises(UsageError, match="no tensor 'Log:0' in a function 'inner'; leave `--function` out"):
        history_of(sample_reader, "Log", "inner")


def log(reader: TraceReader) -> TensorHistory:
    return history_of(reader, "Log")


def test_a_history_for_each_process_that_has_the_tensor(run_readers: dict[str, TraceReader], tmp_path: Path) -> None:
    found = histories_of(run_readers, log)
    assert list(found) == ["worker 0", "worker 1"]
    assert found["worker 1"] == history_of(run_readers["worker 1"], "Log")
    empty = open_trace(TraceBuilder(tmp_path / "empty").finish())
    assert list(histories_of({"a": empty, **run_readers}, log)) == ["worker 0", "worker 1"]


def test_no_process_has_the_tensor(run_readers: dict[str, TraceReader]) -> None:
    with pytest.raises(UsageError, match=r"no tensor 'Lgo:0'.*did you mean 'Log:0'"):
        histories_of(run_readers, lambda reader: history_of(reader, "Lgo"))
