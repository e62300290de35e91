from __future__ import annotations

import numpy as np

from tensordbg.analysis.view.timeline.bins import Spans, fill_bins


def spans(*rows: tuple[int, int, int, int, bool]) -> Spans:
    """Begin, end, events, bad, eager."""
    begin, end, events, bad, eager = (np.array(column) for column in zip(*rows, strict=True))
    return Spans(np.arange(len(rows)) + 10, begin, end, events, bad, eager.astype(bool))


def test_counts_and_busy_time() -> None:
    bins = fill_bins(
        spans((0, 15, 3, 0, False), (16, 16, 1, 1, True), (18, 20, 2, 2, False), (45, 60, 4, 0, False)),
        np.array([10, 20, 30, 40, 50]),
    )
    assert bins.begin_ns.tolist() == [10, 40]
    assert bins.end_ns.tolist() == [20, 50]
    assert bins.functions.tolist() == [2, 1]  # the first began before the range
    assert bins.eager.tolist() == [1, 0]
    assert bins.events.tolist() == [6, 4]
    assert bins.bad.tolist() == [2, 0]
    assert bins.first_bad.tolist() == [11, -1]
    np.testing.assert_allclose(bins.busy, [0.7, 0.5])


def test_one_long_call_fills_all_bins() -> None:
    bins = fill_bins(spans((0, 100, 1, 0, False)), np.arange(0, 101, 10))
    assert bins.functions.tolist() == [1, *[0] * 9]
    np.testing.assert_allclose(bins.busy, 1.0)


def test_busy_against_counting_moments() -> None:
    random = np.random.default_rng(3)
    begin = np.cumsum(random.integers(1, 40, 200))
    rows = [(int(b), int(b + random.integers(0, 20)), 1, 0, bool(random.random() < 0.2)) for b in begin]
    edges = np.linspace(begin[0], begin[-1] + 30, 33).astype(np.int64)
    bins = fill_bins(spans(*rows), edges)
    for first, last, busy in zip(bins.begin_ns, bins.end_ns, bins.busy, strict=True):
        times = [max(0, min(e, last) - max(b, first)) for b, e, _, _, eager in rows if not eager]
        assert abs(busy - min(1.0, sum(times) / (last - first))) < 1e-9
