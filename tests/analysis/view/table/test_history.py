from __future__ import annotations

import numpy as np
import pytest

from tensordbg.analysis.tensors.show import history_of
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.table.history import thin, thinned_history
from tensordbg.errors import AbsentError


@pytest.mark.parametrize("tensor", ["dense/Log", "split:1", "Exp:0"])
def test_points_are_those_of_show(varied: OpenedTrace, tensor: str) -> None:
    history, shown = thinned_history(varied, tensor, "", 5000), history_of(varied.reader, tensor)
    assert (history.tensor, history.total) == (shown.tensor, shown.total)
    points, listed = (
        [(each.event, each.step, each.iteration, str(each.health), each.shape) for each in told.points]
        for told in (history, shown)
    )
    assert points == listed


def test_bad_ones_stay(varied: OpenedTrace) -> None:
    whole = thinned_history(varied, "dense/Log", "train_step", 5000)
    bad = {each.event for each in whole.points if each.health and each.health.non_finite}
    thinned = thinned_history(varied, "dense/Log", "train_step", len(bad) + 6)
    events = [each.event for each in thinned.points]
    assert thinned.total == whole.total > len(events) > len(bad) > 2
    assert bad <= set(events)
    assert (events[0], events[-1]) == (whole.points[0].event, whole.points[-1].event)


@pytest.mark.parametrize(("count", "bad", "most"), [(1000, 0, 50), (1000, 30, 50), (1000, 900, 50), (1000, 1000, 2)])
def test_thinned_evenly(count: int, bad: int, most: int) -> None:
    marks = np.zeros(count, dtype=bool)
    marks[np.random.default_rng(1).permutation(count)[:bad]] = True
    kept = thin(marks, most)
    assert kept.tolist() == sorted(set(kept.tolist()))
    assert len(kept) <= most + 1
    assert {0, count - 1} <= set(kept.tolist())
    if bad:
        assert int(np.flatnonzero(marks)[0]) in kept
    if bad < most - 2:
        assert set(np.flatnonzero(marks).tolist()) <= set(kept.tolist())
        assert np.diff(kept).max() < 3 * count / (most - bad)


def test_few_are_not_thinned() -> None:
    assert thin(np.zeros(5, dtype=bool), 5).tolist() == [0, 1, 2, 3, 4]


def test_unknown_tensor(varied: OpenedTrace) -> None:
    with pytest.raises(AbsentError, match="no tensor 'dense/Lgo:0' was recorded; did you mean 'dense/Log:0'"):
        thinned_history(varied, "dense/Lgo", "", 100)
    with pytest.raises(AbsentError, match="no tensor 'dense/Log:0' in a function 'main' was recorded"):
        thinned_history(varied, "dense/Log", "main", 100)
