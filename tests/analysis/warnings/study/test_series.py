"""How tensors went, as columns."""

from __future__ import annotations

import numpy as np
import pytest

from tensordbg.analysis.warnings.study import series as module
from tensordbg.analysis.warnings.study.series import read_series
from tests.analysis.builder import TraceBuilder, nan


def small() -> TraceBuilder:
    """Two operations over four steps, one of them twice in a step; what is not finite or not a float does not count."""
    trace = TraceBuilder()
    f = trace.function("f")
    one, two, whole = f.op("Relu"), f.op("Tanh"), f.op("Cast", dtype="int32")
    for step in range(4):
        run = trace.run(f)
        run.event(two, [-3.0 * step, 1.0], iteration=0, frame=1)
        run.event(two, [5.0, 0.0], iteration=1, frame=1)
        run.event(whole, [1, 2])
        run.event(one, [step, nan if step == 3 else 0.0])
    return trace


def test_rows_are_steps() -> None:
    trace = small()
    series = read_series(trace, trace.count("tensors"))
    assert series.site.tolist() == [0, 1]
    assert series.lengths.tolist() == [3, 4]
    assert series.step.tolist() == [0, 1, 2, 0, 1, 2, 3]
    assert series.event.tolist() == [3, 7, 11, 1, 5, 9, 13]
    assert series.zero.tolist() == [2, 1, 1, 2, 1, 1, 1]


def test_turns_of_a_loop_are_one_row() -> None:
    trace = small()
    series = read_series(trace, trace.count("tensors"))
    tanh = series.rows(1)
    assert series.turns[tanh].tolist() == [2, 2, 2, 2]
    assert series.size[tanh].tolist() == [4, 4, 4, 4]
    assert series.low[tanh].tolist() == [0.0, -3.0, -6.0, -9.0]
    assert series.high[tanh].tolist() == [5.0] * 4
    assert series.total[tanh].tolist() == [6.0, 3.0, 0.0, -3.0]
    assert series.squares[tanh].tolist() == [26.0, 35.0, 62.0, 107.0]
    assert series.magnitude[tanh].tolist() == [5.0, 5.0, 6.0, 9.0]


def test_nothing_after_the_end_counts() -> None:
    assert read_series(small(), 4).lengths.tolist() == [1, 1]
    assert len(read_series(small(), 0)) == 0


def test_runs_are_counted_from_the_end() -> None:
    trace = small()
    series = read_series(trace, trace.count("tensors"))
    assert series.run(series.step >= 1).tolist() == [2, 3]
    assert series.run(series.step < 0).tolist() == [0, 0]
    assert series.run(series.step >= 0).tolist() == [3, 4]


def test_some_are_chosen() -> None:
    trace = small()
    chosen = read_series(trace, trace.count("tensors")).chosen(np.array([False, True]))
    assert (chosen.site.tolist(), chosen.starts.tolist(), chosen.step.tolist()) == ([1], [0, 4], [0, 1, 2, 3])


def test_what_was_not_measured_is_not_a_number() -> None:
    trace = small()
    for row in trace.events:
        row["sum"] = row["min"] = row["zero"] = None
    series = read_series(trace, trace.count("tensors"))
    assert np.isnan(series.total).all()
    assert np.isnan(series.low).all()
    assert not (series.zero >= 0).any()


def test_of_a_long_trace_stretches_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.op("Relu")
    for _ in range(3200):
        trace.run(f).event(x, [1.0])
    monkeypatch.setattr(module, "READ_WHOLE", 320)
    series = read_series(trace, trace.count("tensors"))
    assert len(series.step) == 320
    assert (series.step[0], series.step[-1]) == (0, 3199)
    assert np.diff(series.step).max() < 200
