"""The matrix of a run's processes, against what NumPy says of the same tensors."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tensordbg.analysis.processes import matrix as matrices
from tensordbg.analysis.processes.matrix import STATES, ProcessMatrix, read_matrix
from tensordbg.errors import UsageError
from tensordbg.trace.folders.runs import find_run
from tensordbg.trace.program.facts import End
from tensordbg.trace.reader import open_trace
from tensordbg.trace.sealed.seal import seal_all
from tests.analysis.builder import TraceBuilder, nan
from tests.analysis.workers import GOOD, RECEIVED, SENT, delayed, steps, worker
from tests.trace.raw.test_recent import shuffled
from tests.trace.realistic import STEP_RECORDS, realistic_trace
from tests.trace.sums.test_totals import trained

ENDED = End(0, exit_code=0)
Processes = Mapping[str, TraceBuilder]


def run(*traces: TraceBuilder, end: End | None = ENDED) -> dict[str, TraceBuilder]:
    for trace in traces:
        trace.facts = replace(trace.facts, end=end)
    return {f"worker {number}": trace for number, trace in enumerate(traces)}


def values(*of_steps: list[float]) -> TraceBuilder:
    """A process that computes one tensor in each step."""
    trace = TraceBuilder()
    site = trace.site(-1, "Mul", "Mul")
    for each in of_steps:
        trace.eager("Mul", site=site, values=each)
    return trace


def states(matrix: ProcessMatrix) -> list[list[str]]:
    return [[STATES[state] for state in row] for row in matrix.states.tolist()]


def test_a_run_on_disk_is_told_as_numpy_tells_it(sample_run: Path) -> None:
    traces = {each.name: open_trace(each.folder) for each in find_run(sample_run).processes}
    matrix = read_matrix(traces, "values", 10)
    for row, trace in enumerate(traces.values()):
        names = ["step", "first_bad", "size", "sum_squares"]
        step, first_bad, size, squares = (trace.table("tensors", names).column(name).to_numpy() for name in names)
        for column in range(len(matrix.starts)):
            sound = (step == column) & (first_bad == -1) & (squares > 0)
            roots = np.sqrt(squares[sound] / size[sound])
            assert matrix.events[row, column] == (step == column).sum()
            assert matrix.bad[row, column] == ((step == column) & (first_bad != -1)).sum()
            assert matrix.values[row, column] == pytest.approx(np.exp(np.log(roots).mean()), rel=1e-3)
    assert matrix.processes == ("worker 0", "worker 1")
    assert states(matrix) == [["finite", "finite", "bad"]] * 2
    assert matrix.first.tolist() == [[0, 4, 9]] * 2


def test_the_median_is_that_of_the_processes_in_each_step() -> None:
    rng = np.random.default_rng(0)
    numbers = rng.uniform(0.5, 2.0, (5, 4, 3))
    matrix = read_matrix(run(*(values(*row.tolist()) for row in numbers)), "", 10)
    sizes = np.sqrt((numbers**2).mean(axis=2))
    np.testing.assert_allclose(matrix.values, sizes, rtol=1e-3)
    np.testing.assert_allclose(matrix.medians, np.median(sizes, axis=0), rtol=1e-3)


def test_steps_are_put_together_where_there_are_more_than_columns() -> None:
    matrix = read_matrix(run(values(*[[1.0]] * 10, [nan]), values(*[[4.0]] * 7)), "values", 4)
    assert matrix.starts == (0, 3, 6, 9)
    assert matrix.last_step == 10
    assert matrix.events.tolist() == [[3, 3, 3, 2], [3, 3, 1, 0]]
    assert matrix.first.tolist() == [[0, 3, 6, 10], [0, 3, 6, -1]]


def test_what_computed_much_less_is_not_compared() -> None:
    full = [values(*[[1.0]] * 30) for _ in range(2)]
    matrix = read_matrix(run(*full, values(*[[9.0]] * 15)), "values", 1)
    assert np.isnan(matrix.values[2, 0])
    assert matrix.medians[0] == 1.0


def test_health_goes_through_a_reduction() -> None:
    matrix = read_matrix(run(worker(steps(GOOD, SENT)), worker(steps(GOOD, RECEIVED))), "", 10)
    assert states(matrix) == [["finite", "bad"], ["finite", "bad"]]
    assert matrix.bad.tolist() == [[0, 2], [0, 1]]


def test_a_process_that_was_killed_stands_still_and_one_that_ended_does_not() -> None:
    traces = run(values([1.0], [1.0], [1.0]), values([1.0]), values([1.0], [1.0]))
    traces["worker 1"].facts = replace(traces["worker 1"].facts, end=End(0, signal=9))
    assert states(read_matrix(traces, "", 10))[1:] == [["finite", "still", "still"], ["finite", "finite", "nothing"]]


def test_a_process_that_is_only_a_little_slower_does_not_stand_still() -> None:
    traces = run(values([1.0], [1.0]), delayed(values([1.0]), time.time_ns()), end=None)
    assert states(read_matrix(traces, "", 10)) == [["finite", "finite"], ["finite", "nothing"]]


def test_the_one_that_all_others_wait_for_stands_still_where_it_was_last_heard_of() -> None:
    traces = run(*(worker(steps(*[GOOD] * length)) for length in (3, 2, 3)), end=None)
    assert states(read_matrix(traces, "", 10))[1] == ["finite", "still", "still"]


def test_other_parameters_set_a_process_apart_from_there_on() -> None:
    traces = run(trained(1.0, 2.0, 3.0), trained(1.0, 2.5, 3.5), trained(1.0, 2.0, 3.0))
    matrix = read_matrix(traces, "weights", 10)
    assert states(matrix) == [["finite"] * 3, ["finite", "apart", "apart"], ["finite"] * 3]
    assert matrix.measures == ("weights",)


def test_of_too_many_those_that_stand_out_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrices, "MOST_ROWS", 2)
    matrix = read_matrix(run(values([1.0]), values([5.0]), values([1.1]), values([nan])), "", 10)
    assert (matrix.processes, matrix.left_out) == (("worker 1", "worker 3"), 2)
    assert matrix.values.shape == matrix.states.shape == (2, 1)


def test_a_run_without_tensors_has_no_columns() -> None:
    matrix = read_matrix(run(TraceBuilder(), TraceBuilder()), "", 10)
    assert (matrix.starts, matrix.measure, matrix.last_step) == ((), "", -1)


def test_a_measure_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="no measure 'x'; it is one of loss, gradients, weights, values"):
        read_matrix({}, "x", 10)


@pytest.mark.parametrize("seal", [lambda trace: None, seal_all], ids=["raw", "sealed"])
def test_of_traces_that_keep_the_last_events_nothing_is_said_of_the_steps_before(
    tmp_path: Path, seal: Callable[[Path], object]
) -> None:
    steps, gone = 40, 30
    plain = realistic_trace(tmp_path / "plain", steps, 4096)
    traces = {}
    for rank in range(2):
        folder = shuffled(plain, tmp_path / str(rank), gone=gone * STEP_RECORDS)
        seal(folder)
        traces[f"worker {rank}"] = open_trace(folder)
    matrix = read_matrix(traces, "", steps)
    assert states(matrix) == [["nothing"] * gone + ["finite"] * (steps - gone)] * 2
