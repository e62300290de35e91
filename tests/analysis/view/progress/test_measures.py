from __future__ import annotations

import numpy as np
import pytest

from tensordbg.analysis.view.progress.measures import bad_cells, gradients, sizes, updates, zeros
from tensordbg.analysis.view.progress.rows import find_rows
from tests.analysis.builder import inf, nan
from tests.analysis.view.built import opened_builder
from tests.analysis.warnings.network import network, studied


def test_size_does_not_depend_on_how_many_elements_there_are() -> None:
    seen = studied(network({"Relu": lambda step: np.full((8, 5), 3.0 + step)}, steps=2))
    lines, _ = find_rows(seen)
    cells = sizes(seen, lines)
    relu = [row.name for row in lines].index("train.py:12")
    mine = cells.row == relu
    assert dict(zip(cells.step[mine].tolist(), cells.value[mine].tolist(), strict=True)) == {0: 3.0, 1: 4.0}


def test_share_of_zeros() -> None:
    seen = studied(network({"Relu": lambda step: np.eye(8, 5)}, steps=1))
    lines, _ = find_rows(seen)
    cells = zeros(seen, lines)
    assert cells.value[cells.row == [row.name for row in lines].index("train.py:12")].tolist() == [1 - 5 / 40]


def test_norm_of_the_gradient_of_each_variable() -> None:
    seen = studied(network({"gradient_tape/BiasAdd/BiasAddGrad": lambda step: [3.0, 4.0, 0.0, 0.0, 0.0]}, steps=2))
    _, trained = find_rows(seen)
    cells = gradients(seen, trained)
    assert cells.value[cells.row == [row.name for row in trained].index("bias")].tolist() == [5.0, 5.0]


def test_updates_over_weights_and_none_of_what_holds_zeros() -> None:
    trace = network({"kernel": lambda step: np.full((4, 5), 2.0), "bias": lambda step: np.zeros(5)}, steps=1)
    names = [row["name"] for row in trace.sites]
    for name, values in (("update", np.full((4, 5), 0.5)), ("update_bias", np.ones(5))):
        site = names.index(name)
        trace.event(1, 0, type("Ref", (), {"site": site, "slot": 0})(), values)
    seen = studied(trace)
    _, trained = find_rows(seen)
    cells = updates(seen, trained)
    assert [trained[row].name for row in cells.row.tolist()] == ["kernel"]
    assert cells.value.tolist() == [pytest.approx(0.25)]


def test_what_is_not_finite() -> None:
    trace = network({"Relu": lambda step: [nan, inf, 1.0] if step == 1 else [1.0]}, steps=3)
    lines, _ = find_rows(studied(trace))
    cells = bad_cells(opened_builder(trace), lines)
    mine = cells.row == [row.name for row in lines].index("train.py:12")
    assert dict(zip(cells.step[mine].tolist(), cells.value[mine].tolist(), strict=True)) == {0: 0.0, 1: 2.0, 2: 0.0}
