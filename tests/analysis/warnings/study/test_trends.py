"""By how much a tensor changed."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.warnings.study.trends import changed, root_mean_square, trend
from tests.analysis.warnings.network import network, series_named, studied


def test_medians_of_the_beginning_the_middle_and_the_end() -> None:
    seen = studied(network({"Relu": lambda step: [[10.0 ** (step // 10)]]}, steps=30))
    found = trend(seen, seen.series.magnitude, series_named(seen, "Relu"))
    assert found is not None
    assert (found.steps, found.begin, found.middle, found.end, found.ratio) == (30, 1.0, 10.0, 100.0, 100.0)
    assert found.evidence() == {"steps": 30, "begin": 1.0, "middle": 10.0, "end": 100.0}


def test_a_single_outlier_changes_nothing() -> None:
    seen = studied(network({"Relu": lambda step: [1e9 if step == 29 else 1.0]}, steps=30))
    found = trend(seen, seen.series.magnitude, series_named(seen, "Relu"))
    assert found is not None
    assert found.ratio == 1.0


def test_nothing_is_said_of_a_few_steps_or_of_a_beginning_at_zero() -> None:
    few = studied(network(steps=4))
    assert trend(few, few.series.magnitude, 0) is None
    zero = studied(network({"Relu": lambda step: [0.0 if step < 10 else 1.0]}))
    assert trend(zero, zero.series.magnitude, series_named(zero, "Relu")) is None


def test_what_could_have_changed() -> None:
    seen = studied(network({"Relu": lambda step: [2.0**step], "loss": lambda step: 2.0**-step}))
    sizes = seen.series.magnitude
    assert series_named(seen, "Relu") in changed(seen, sizes, 1000.0)
    assert series_named(seen, "loss") in changed(seen, sizes, 0.001)
    assert series_named(seen, "loss") not in changed(seen, sizes, 1000.0)


def test_growth_beyond_all_numbers_is_growth() -> None:
    seen = studied(network({"Relu": lambda step: [1e-300 if step == 0 else 1e300]}))
    assert series_named(seen, "Relu") in changed(seen, seen.series.magnitude, 1000.0)


def test_root_mean_square() -> None:
    seen = studied(network({"Relu": lambda _: [3.0, 4.0, 0.0, 0.0]}))
    assert np.allclose(root_mean_square(seen)[seen.series.rows(series_named(seen, "Relu"))], 2.5)
