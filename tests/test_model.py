from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from tensordbg import model
from tensordbg.model import NONE, CallKind, Detail, Function, Health, Site


def test_counts_add_up() -> None:
    health = Health(size=10, negative=2, zero=3, neg_inf=1, pos_inf=1, nan=1)
    assert (health.non_finite, health.finite, health.positive) == (3, 7, 2)


def test_mean_and_deviation_are_those_of_the_finite_elements() -> None:
    values = np.array([1.0, 2.0, 4.0, 9.0])
    health = Health(size=6, nan=2, sum=values.sum(), sum_squares=(values**2).sum())
    assert health.mean == pytest.approx(values.mean())
    assert health.std == pytest.approx(values.std())


def test_nothing_finite_has_neither() -> None:
    health = Health(size=2, nan=2)
    assert math.isnan(health.mean)
    assert math.isnan(health.std)


def test_rounding_makes_no_negative_variance() -> None:
    assert Health(size=3, sum=0.3, sum_squares=0.03 - 1e-12).std == 0.0


def test_details_are_in_order() -> None:
    assert [detail.value for detail in Detail] == ["ops", "shapes", "health", "values"]


def test_site_knows_nothing_by_default() -> None:
    site = Site(site=0, name="Log", op_type="Log", function=NONE, stack=0)
    assert (site.inputs, site.call, site.argument, site.gradient_of) == ((), CallKind.NONE, NONE, NONE)


def test_function_has_no_stack_by_default() -> None:
    assert Function(function=0, name="f", runtime_name="f_1", graph=0).stack == NONE


@pytest.mark.parametrize(
    "kind", [kind for kind in vars(model).values() if isinstance(kind, type) and dataclasses.is_dataclass(kind)]
)
def test_everything_is_frozen(kind: type) -> None:
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]


def test_without_a_sum_there_is_neither_mean_nor_deviation() -> None:
    health = Health(size=3, sum=math.nan, sum_squares=math.nan)
    assert math.isnan(health.mean)
    assert math.isnan(health.std)
