"""Gradients that cancel are told from those that are small."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tensordbg
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


@pytest.mark.parametrize("views", [1, 2, 3])
def test_a_bias_before_a_batch_normalization_may_be_used_several_times(tmp_path: Path, views: int) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    with tensordbg.record(tmp_path) as recording:
        layers = torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 4)
        model = torch.nn.Sequential(*layers)
        optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
        for _ in range(12):
            x = torch.randn(32, 8)
            outs = [model(x + 0.1 * torch.randn_like(x)) for _ in range(views)]
            optimizer.zero_grad()
            sum((out - x[:, :4]).square().mean() for out in outs).backward()
            optimizer.step()
    assert [each.explanation for each in tensordbg.open(recording.path).why().warnings] == []
