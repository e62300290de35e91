"""Gradients that are zero, and from where on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tensordbg
from tensordbg.analysis.warnings.gradients.zero_gradient import first_zero, zero_gradients
from tensordbg.analysis.warnings.study.zeros import find_zeros
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import Given, network, series_named, studied

ZERO_SLOPE: Given = {
    "gradient_tape/ReluGrad": lambda _: np.zeros((8, 5)),
    "gradient_tape/MatMul/MatMul": lambda _: np.zeros((4, 5)),
    "gradient_tape/BiasAdd/BiasAddGrad": lambda _: np.zeros(5),
}


def test_both_variables_lead_back_to_one_operation() -> None:
    seen = studied(network(ZERO_SLOPE))
    (finding,) = zero_gradients(seen)
    assert finding.also == ("kernel", "bias")
    assert seen.site(finding.series).op_type == "ReluGrad"
    assert seen.program.sites[finding.site].op_type == "Relu"
    assert finding.evidence == {"steps": 30, "since_step": 0, "zeros": 40, "variables": 2}


def test_the_first_zero_is_the_one_not_made_of_zeros() -> None:
    seen = studied(network(ZERO_SLOPE))
    start = int(seen.port[series_named(seen, "gradient_tape/MatMul/MatMul")])
    assert first_zero(seen, find_zeros(seen), start) == int(seen.port[series_named(seen, "gradient_tape/ReluGrad")])


def test_a_zero_factor_is_named() -> None:
    zero_input = {"x": lambda _: np.zeros((8, 4)), "gradient_tape/MatMul/MatMul": lambda _: np.zeros((4, 5))}
    (finding,) = zero_gradients(studied(network(zero_input)))
    assert finding.also == ("kernel",)
    assert "as x:0, which the gradient is multiplied with, is all zero" in finding.explanation


def test_zeros_that_a_choice_is_made_from_are_not_to_blame() -> None:
    trace = TraceBuilder()
    w = trace.variable("w", "[2]", trainable=True)
    f = trace.function("f")
    read = f.read(w)
    loss = f.op("Mean", read, name="loss")
    one = f.op("Mul", loss, read, name="gradient_tape/Mul")
    zeros = f.op("ZerosLike", read, name="gradient_tape/zeros_like")
    chosen = f.op("SelectV2", one, zeros, name="gradient_tape/SelectV2")
    f.write(w, chosen, op_type="AssignSubVariableOp")
    for _ in range(10):
        run = trace.run(f)
        for ref, values in (
            (read, [1.0, 2.0]),
            (loss, 1.5),
            (one, [1.0, 2.0]),
            (zeros, [0.0, 0.0]),
            (chosen, [0.0, 0.0]),
        ):
            run.event(ref, values)
    (finding,) = zero_gradients(studied(trace))
    assert "from gradient_tape/SelectV2:0 on, where SelectV2 lets nothing of it through" in finding.explanation


def test_a_dead_layer_is_told_elsewhere() -> None:
    assert zero_gradients(studied(network({**ZERO_SLOPE, "Relu": lambda _: np.zeros((8, 5))}))) == []


def test_where_the_loss_is_zero_nothing_is_left_to_learn() -> None:
    assert zero_gradients(studied(network({**ZERO_SLOPE, "loss": lambda _: 0.0}))) == []


def test_zero_now_and_then_is_no_trouble() -> None:
    now_and_then = {"gradient_tape/MatMul/MatMul": lambda step: np.full((4, 5), float(step % 3 == 0))}
    assert zero_gradients(studied(network(now_and_then))) == []


def test_a_relu_that_is_above_zero_is_not_called_dead() -> None:
    (finding,) = zero_gradients(studied(network({**ZERO_SLOPE, "Relu": lambda _: np.full((8, 5), 2e28)})))
    assert "dead" not in finding.explanation
    assert "although Relu:0 goes up to 2e28" in finding.explanation.replace("2e+28", "2e28")
    (finding,) = zero_gradients(studied(network({**ZERO_SLOPE, "Relu": lambda _: -np.ones((8, 5))})))
    assert "the layer is dead" in finding.explanation


def test_gradients_that_cancel_are_no_trouble() -> None:
    cancelled = {"gradient_tape/BiasAdd/BiasAddGrad": lambda _: np.zeros(5)}
    assert zero_gradients(studied(network(cancelled))) == []


@pytest.mark.parametrize("partner", ["with_itself", "with_a_copy"])
def test_a_ratio_with_itself_teaches_nothing(tmp_path: Path, partner: str) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    with tensordbg.record(tmp_path) as recording:
        layers = torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2), torch.nn.LogSoftmax(1)
        policy = torch.nn.Sequential(*layers)
        value = torch.nn.Linear(4, 1)
        optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], 1e-2)
        for _ in range(12):
            states = torch.randn(32, 4)
            chosen = torch.randint(0, 2, (32, 1))
            reward = (chosen == (states[:, :1] > 0)).float()
            now = policy(states).gather(1, chosen)
            old = now if partner == "with_itself" else now.detach()
            gain = (now - old).exp() * (reward - value(states).detach())
            optimizer.zero_grad()
            ((value(states) - reward).square().mean() - gain.mean()).backward()
            optimizer.step()
    told = tensordbg.open(recording.path).why().warnings
    assert [each.kind for each in told] == ["zero_gradient"] * (partner == "with_itself")
    assert all("gradients come together and cancel" in each.explanation for each in told)
    assert all("nothing is compared with itself" in each.suggestion for each in told)


def test_the_last_bias_of_a_critic_cancels_by_design(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    with tensordbg.record(tmp_path) as recording:
        critic = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
        optimizer = torch.optim.RMSprop(critic.parameters(), 1e-3)
        for _ in range(12):
            optimizer.zero_grad()
            (critic(torch.randn(32, 2)).mean() - critic(torch.randn(32, 2) + 1).mean()).backward()
            optimizer.step()
    assert [each.kind for each in tensordbg.open(recording.path).why().warnings] == []
