"""Tensors that are all zero in the end."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.warnings.study.zeros import dead_layers, find_zeros
from tests.analysis.warnings.network import Given, network, series_named, studied


def zero_from(first: int) -> Given:
    return {"Relu": lambda step: np.zeros((8, 5)) if step >= first else np.ones((8, 5))}


def test_all_zero_for_some_steps() -> None:
    seen = studied(network(zero_from(20)))
    zeros, k = find_zeros(seen), series_named(seen, "Relu")
    assert (zeros.run[k], zeros.zero[k]) == (10, True)
    assert zeros.of(seen, int(seen.port[k]))
    assert not zeros.of(seen, int(seen.port[series_named(seen, "MatMul")]))
    assert dead_layers(seen, zeros) == [k]


def test_for_a_few_steps_only() -> None:
    seen = studied(network(zero_from(26)))
    assert not find_zeros(seen).zero.any()
    assert dead_layers(seen, find_zeros(seen)) == []


def test_it_must_be_zero_in_the_end() -> None:
    seen = studied(network({"Relu": lambda step: np.zeros((8, 5)) if step < 29 else np.ones((8, 5))}))
    assert not find_zeros(seen).zero.any()


def test_what_was_zero_as_long_before_may_be_so_again() -> None:
    def given(lives: int) -> Given:
        return {"Relu": lambda step: np.ones((8, 5)) if step in (0, lives) else np.zeros((8, 5))}

    assert not find_zeros(studied(network(given(15)))).zero.any()
    assert find_zeros(studied(network(given(4)))).zero.any()
