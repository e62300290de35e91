"""The progress of trainings, recorded for real in the tests of the page; here of traces made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.progress.reading import NOT_FINITE, Progress, progress_of, read_progress
from tensordbg.errors import UsageError
from tests.analysis.builder import TraceBuilder, nan
from tests.analysis.view.built import opened_builder


def trained(steps: int) -> OpenedTrace:
    """A function of two lines; the second one's tensor grows, and is not finite in step 3."""
    trace = TraceBuilder()
    f = trace.function("train_step")
    first = f.op("Relu", line=3)
    second = f.op("Exp", first, line=4)
    for step in range(steps):
        run = trace.run(f)
        run.event(first, [0.0, 1.0, 2.0, 0.0])
        run.event(second, [nan] if step == 3 else [2.0**step])
    return opened_builder(trace)


def rows(progress: Progress) -> dict[str, list[float]]:
    return {shown.row.name: shown.values.tolist() for shown in progress.rows}


def test_lines_of_a_program_without_layers() -> None:
    data = read_progress(trained(6))
    zeros = progress_of(data, "zeros", 100)
    assert rows(zeros)["train.py:3"] == [0.5] * 6
    assert zeros.starts == (0, 1, 2, 3, 4, 5)
    assert zeros.last_step == 5
    sizes = rows(progress_of(data, "activations", 100))["train.py:4"]
    assert [value for value in sizes if not np.isnan(value)] == [1.0, 2.0, 4.0, 16.0, 32.0]


def test_a_column_has_the_largest_of_its_steps_and_where_it_is() -> None:
    data = read_progress(trained(6))
    progress = progress_of(data, "activations", 2)
    assert progress.starts == (0, 3)
    shown = next(shown for shown in progress.rows if shown.row.name == "train.py:4")
    assert shown.values.tolist() == [4.0, 32.0]
    assert shown.events.tolist() == [5, 11]


def test_what_is_not_finite_is_counted_from_all_events() -> None:
    progress = progress_of(read_progress(trained(6)), NOT_FINITE, 100)
    assert rows(progress)["train.py:4"] == [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]


def test_what_stands_out_is_told() -> None:
    texts = [sight.text for sight in read_progress(trained(6)).sights]
    assert "what train.py:4 puts out grew to 32 times its size over the steps" in texts
    assert "50% of what train.py:3 puts out at the end is zero" in texts


def test_without_a_name_it_is_the_first_of_which_anything_is_known() -> None:
    assert progress_of(read_progress(trained(2)), "", 10).measure == "activations"


def test_unknown_measure() -> None:
    with pytest.raises(UsageError, match="no measure 'size'; it is one of activations, "):
        progress_of(read_progress(trained(1)), "size", 10)


def test_of_nothing() -> None:
    progress = progress_of(read_progress(opened_builder(TraceBuilder())), "", 10)
    assert (progress.rows, progress.measures, progress.lines, progress.sights) == ((), (), (), ())


def test_however_long_the_answer_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensordbg.analysis.view.progress.reading._MOST_ROWS", 1)
    progress = progress_of(read_progress(trained(500)), "activations", 7)
    assert len(progress.starts) == 7
    assert len(progress.rows) == 1
    assert progress.left_out == 1
