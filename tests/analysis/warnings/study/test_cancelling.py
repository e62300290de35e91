"""Gradients that cancel are told from those that are small."""

from __future__ import annotations

import numpy as np
import pytest

from tensordbg.analysis.warnings.study.cancelling import is_rounding
from tensordbg.analysis.warnings.study.training import gradients_of_variables
from tests.analysis.warnings.network import network, studied

BIAS = 1


def gradient_of_bias(size: float, terms: float) -> bool:
    """Whether a gradient of this size is rounding, which sums 8 rows of numbers of another size."""
    given = {
        "gradient_tape/ReluGrad": lambda _: np.full((8, 5), terms),
        "gradient_tape/BiasAdd/BiasAddGrad": lambda _: np.full(5, size),
    }
    seen = studied(network(given))
    (gradient,) = gradients_of_variables(seen)[BIAS]
    return is_rounding(seen, gradient)


@pytest.mark.parametrize(("size", "terms"), [(1e-7, 1.0), (1e-9, 0.01), (0.0, 1.0)])
def test_what_is_left_of_larger_terms_is_rounding(size: float, terms: float) -> None:
    assert gradient_of_bias(size, terms)


@pytest.mark.parametrize(("size", "terms"), [(0.5, 1.0), (1e-7, 1e-7), (1e-4, 1.0)])
def test_a_small_sum_of_small_terms_is_not(size: float, terms: float) -> None:
    assert not gradient_of_bias(size, terms)
