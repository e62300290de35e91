"""What shrinks although there is still something to learn."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.warnings.magnitudes.shrinking import shrinking_values
from tests.analysis.warnings.network import network, studied

FALLING = {"loss": lambda step: 0.7**step}
STEADY = {"loss": lambda step: 2.0 + step % 2}


def test_weights_that_collapse() -> None:
    (finding,) = shrinking_values(studied(network({"kernel": lambda step: np.full((4, 5), 0.6**step)} | STEADY)))
    assert finding.variable == 0
    assert "The weights kernel shrank from 0.6 to" in finding.explanation


def test_an_activation_shrinks_while_the_loss_does_not() -> None:
    hidden = {"Relu": lambda step: np.full((8, 5), 0.6**step)}
    (finding,) = shrinking_values(studied(network(hidden | STEADY)))
    assert "Relu:0 shrank" in finding.explanation
    assert shrinking_values(studied(network(hidden | FALLING))) == []


def test_a_gradient_that_shrinks_alone() -> None:
    alone = {"gradient_tape/MatMul/MatMul": lambda step: np.full((4, 5), 0.6**step)}
    (finding,) = shrinking_values(studied(network(alone | STEADY)))
    assert "The gradient of kernel shrank" in finding.explanation


def test_a_gradient_that_is_zero_in_the_end_is_left_to_other_warnings() -> None:
    gone = {
        "gradient_tape/MatMul/MatMul": lambda step: np.full((4, 5), float(step < 10)),
        "gradient_tape/ReluGrad": lambda step: np.full((8, 5), 0.6**step),
    }
    assert shrinking_values(studied(network(gone | STEADY))) == []


def test_where_all_gradients_shrink_training_has_come_to_its_end() -> None:
    both = {
        "gradient_tape/MatMul/MatMul": lambda step: np.full((4, 5), 0.6**step),
        "gradient_tape/BiasAdd/BiasAddGrad": lambda step: np.full(5, 0.6**step),
    }
    assert shrinking_values(studied(network(both | STEADY))) == []
