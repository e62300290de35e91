"""PyTorch programs whose numbers stay finite and are wrong all the same: `why` names the variable and the line."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

from torch import Tensor, nn  # noqa: E402
from torch.nn import functional  # noqa: E402

import tensordbg  # noqa: E402
from tensordbg.analysis.finding import NumericalWarning  # noqa: E402
from tensordbg.analysis.program.description import read_program  # noqa: E402
from tensordbg.analysis.program.held import held_variables, noted_gradients  # noqa: E402
from tensordbg.trace.reader import open_trace  # noqa: E402
from tests import programs  # noqa: E402

X, Y = torch.randn(64, 8, generator=torch.Generator().manual_seed(1)), torch.arange(64) % 3


def model(last: int = 3) -> nn.Sequential:
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, last))


def train(net: nn.Module, loss: Callable[[Tensor], Tensor], steps: int = 12, rate: float = 0.05) -> None:
    optimizer = torch.optim.Adam(net.parameters(), lr=rate)
    for _ in range(steps):
        optimizer.zero_grad()
        loss(net(X)).backward()
        optimizer.step()


def warnings_of(folder: Path, program: Callable[[], None]) -> list[NumericalWarning]:
    torch.manual_seed(0)
    with tensordbg.record(folder) as recording:
        program()
    return list(tensordbg.open(recording.path).why().warnings)


def line_of(program: Callable[[], None]) -> int:
    lines, first = inspect.getsourcelines(program)
    return next(first + k for k, line in enumerate(lines) if "# HERE" in line)


def a_rounded_output() -> None:
    train(model(), lambda out: functional.cross_entropy(torch.round(out), Y))  # HERE


def weights_of_zero() -> None:
    net = model()
    for layer in net[::2]:
        nn.init.zeros_(layer.weight)
        nn.init.zeros_(layer.bias)
    train(net, lambda out: functional.cross_entropy(out, Y))


def a_dead_layer() -> None:
    net = model()
    with torch.no_grad():
        net[2].bias.fill_(-100)
    train(net, lambda out: functional.cross_entropy(out, Y))


def a_rate_that_rounding_swallows() -> None:
    net = model()
    with torch.no_grad():
        net[4].weight.mul_(1e-3).add_(1e6)
        net[4].bias.zero_()
    train(net, lambda out: (out * 1e-7).square().mean(), rate=1e-4)


def gradients_that_nothing_sets_back() -> None:
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(8):
        functional.cross_entropy(net(X), Y).backward()  # HERE
        optimizer.step()


def gradients_that_nothing_sets_back_but_that_are_clipped() -> None:
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(8):
        functional.cross_entropy(net(X), Y).backward()  # HERE
        nn.utils.clip_grad_norm_(net.parameters(), 0.01)
        optimizer.step()


def a_layer_that_no_optimizer_has() -> None:
    net, head = model(8), nn.Linear(8, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(8):
        optimizer.zero_grad()
        functional.cross_entropy(head(torch.relu(net(X))), Y).backward()
        optimizer.step()


def a_layer_that_no_optimizer_has_behind_random_numbers() -> None:
    net, head = model(8), nn.Linear(8, 3)
    optimizer, x = torch.optim.Adam(net.parameters(), lr=0.1), torch.rand(len(X), X.shape[1])
    for _ in range(8):
        optimizer.zero_grad()
        functional.cross_entropy(head(torch.relu(net(x))), Y).backward()
        optimizer.step()


def a_model_that_was_replaced_after_the_optimizer_was_made() -> None:
    net, head = model(8), nn.Linear(8, 3)
    optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=0.1)
    head = nn.Linear(8, 3)
    for _ in range(8):
        optimizer.zero_grad()
        functional.cross_entropy(head(torch.relu(net(X))), Y).backward()
        optimizer.step()


def a_column_and_a_row() -> None:
    train(model(1), lambda out: functional.mse_loss(out, X[:, 0].clone()))  # HERE


def probabilities_as_logits() -> None:
    train(model(), lambda out: functional.cross_entropy(torch.softmax(out, 1), Y))  # HERE


def probabilities_as_logits_of_two() -> None:
    wanted = (Y[:, None] > 1).float()
    train(model(1), lambda out: functional.binary_cross_entropy_with_logits(torch.sigmoid(out), wanted))  # HERE


def a_wrong_sign() -> None:
    net = model(1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, maximize=True)
    for _ in range(16):
        optimizer.zero_grad()
        loss = net(X).square().mean()  # HERE
        loss.backward()
        optimizer.step()


def a_minus_before_the_loss() -> None:
    train(model(1), lambda out: -functional.mse_loss(out, X[:, :1]), steps=16)  # HERE


def a_minus_before_a_loss_of_labels() -> None:
    train(model(), lambda out: -2.0 * functional.cross_entropy(out, Y), steps=16)  # HERE


def a_saturated_output() -> None:
    wanted = functional.one_hot(Y, 3) * 50.0
    train(model(), lambda out: functional.mse_loss(torch.sigmoid(out * 30 + 20), wanted), steps=20)  # HERE


def a_column_and_part_of_a_row() -> None:
    net, wanted = model(1), (X[:, :1] * 2).squeeze(1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for step in range(12):
        now = slice(16 * (step % 4), 16 * (step % 4) + 16)
        optimizer.zero_grad()
        loss = functional.smooth_l1_loss(net(X[now]), wanted[now])  # HERE
        loss.backward()
        optimizer.step()


def layers_in_a_plain_list() -> None:
    class Stack(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [nn.Linear(8, 8) for _ in range(2)]
            self.head = nn.Linear(8, 3)

        def forward(self, x: Tensor) -> Tensor:
            for layer in self.layers:
                x = torch.relu(layer(x))
            return self.head(x)

    train(Stack(), lambda out: functional.cross_entropy(out, Y))


def a_scale_that_is_no_parameter() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.head = nn.Linear(8, 3)
            self.scale = torch.ones(3, requires_grad=True)

        def forward(self, x: Tensor) -> Tensor:
            return self.head(x) * self.scale

    train(Scaled(), lambda out: functional.cross_entropy(out, Y))


def a_rate_of_zero() -> None:
    train(model(), lambda out: functional.cross_entropy(out, Y), rate=0.0)


def updates_that_bfloat16_rounds_away() -> None:
    net = model().bfloat16()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-5)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(1.0)
    for _ in range(8):
        optimizer.zero_grad()
        functional.cross_entropy(net(X.bfloat16()), Y).backward()
        optimizer.step()


def a_schedule_that_divides_whole_numbers() -> None:
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 - min(epoch, 5) / 5)
    for step in range(16):
        optimizer.zero_grad()
        functional.cross_entropy(net(X[step % 4 :: 4]), Y[step % 4 :: 4]).backward()
        optimizer.step()
        schedule.step()


def gradients_that_are_set_back_before_the_step() -> None:
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(8):
        functional.cross_entropy(net(X), Y).backward()
        optimizer.zero_grad()
        optimizer.step()


def an_optimizer_of_the_model_before() -> None:
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net = model()
    for _ in range(8):
        net.zero_grad()
        functional.cross_entropy(net(X), Y).backward()
        optimizer.step()


def a_body_that_is_cut_off() -> None:
    body, head = nn.Linear(8, 16), nn.Linear(16, 3)
    optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
    for _ in range(8):
        optimizer.zero_grad()
        features = torch.relu(body(X))  # HERE
        functional.cross_entropy(head(features.detach()), Y).backward()
        optimizer.step()


def a_loss_that_is_made_anew() -> None:
    net = model(1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(8):
        optimizer.zero_grad()
        out = net(X)  # HERE
        torch.tensor(out.square().mean().item(), requires_grad=True).backward()
        optimizer.step()


def moded() -> nn.Sequential:
    return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 3))


def epochs(net: nn.Module, validate: Callable[[], object], count: int = 4) -> None:
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(count):
        for step in range(4):
            optimizer.zero_grad()
            functional.cross_entropy(net(X[step::4]), Y[step::4]).backward()
            optimizer.step()
        validate()


def a_validation_that_leaves_the_model_in_eval() -> None:
    net = moded()

    def validate() -> float:
        net.eval()
        with torch.no_grad():
            return (net(X).argmax(1) == Y).float().mean().item()

    epochs(net, validate)


def a_validation_that_leaves_dropout_off() -> None:
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 3))

    def validate() -> float:
        net.eval()
        with torch.no_grad():
            return functional.cross_entropy(net(X), Y).item()

    epochs(net, validate)


def a_model_that_never_left_eval() -> None:
    net = moded()
    net.eval()
    epochs(net, lambda: None)


def a_validation_in_training_mode() -> None:
    net = moded()

    def validate() -> float:
        with torch.no_grad():
            return functional.cross_entropy(net(X), Y).item()  # HERE

    epochs(net, validate)


def probabilities_as_log_probabilities() -> None:
    train(model(), lambda out: functional.nll_loss(torch.softmax(out, 1), Y))  # HERE


def logits_as_log_probabilities() -> None:
    train(model(), lambda out: functional.nll_loss(out, Y))  # HERE


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize(
    ("program", "kind", "variable"),
    [
        (a_rounded_output, "zero_gradient", "0.weight"),
        (a_dead_layer, "dead_units", ""),
        (a_rate_that_rounding_swallows, "unchanged_variable", "4.weight"),
        (a_column_and_a_row, "outer_broadcast", ""),
        (a_column_and_part_of_a_row, "outer_broadcast", ""),
        (layers_in_a_plain_list, "unchanged_variable", "layers[0].weight"),
        (a_scale_that_is_no_parameter, "unchanged_variable", "scale"),
        (a_rate_of_zero, "no_updates", "0.weight"),
        (updates_that_bfloat16_rounds_away, "no_updates", "0.weight"),
        (a_schedule_that_divides_whole_numbers, "no_updates", "0.weight"),
        (gradients_that_are_set_back_before_the_step, "no_updates", "0.weight"),
        (an_optimizer_of_the_model_before, "no_updates", "0.weight"),
        (a_body_that_is_cut_off, "without_gradient", "weight"),
        (a_loss_that_is_made_anew, "without_gradient", "0.weight"),
        (a_validation_that_leaves_the_model_in_eval, "evaluation_mode", ""),
        (a_validation_that_leaves_dropout_off, "evaluation_mode", ""),
        (a_model_that_never_left_eval, "evaluation_mode", ""),
        (a_validation_in_training_mode, "training_mode", ""),
        (probabilities_as_log_probabilities, "no_log_probabilities", ""),
        (logits_as_log_probabilities, "no_log_probabilities", ""),
        (gradients_that_nothing_sets_back, "accumulated_gradients", "0.weight"),
        (gradients_that_nothing_sets_back_but_that_are_clipped, "accumulated_gradients", "0.weight"),
        (a_layer_that_no_optimizer_has, "unchanged_variable", "weight"),
        (a_layer_that_no_optimizer_has_behind_random_numbers, "unchanged_variable", "weight"),
        (a_model_that_was_replaced_after_the_optimizer_was_made, "unchanged_variable", "weight"),
        (probabilities_as_logits, "activation_twice", ""),
        (probabilities_as_logits_of_two, "activation_twice", ""),
        (a_wrong_sign, "rising_loss", ""),
        (a_minus_before_the_loss, "negated_loss", ""),
        (a_minus_before_a_loss_of_labels, "negated_loss", ""),
        (a_saturated_output, "saturated_output", ""),
    ],
    ids=lambda value: value.__name__ if callable(value) else None,
)
def test_the_warning_names_what_is_wrong(tmp_path: Path, program: Callable[[], None], kind: str, variable: str) -> None:
    told = warnings_of(tmp_path, program)
    found = [each for each in told if each.kind == kind]
    assert found, [(each.kind, each.explanation) for each in told]
    assert found[0].variable == variable
    if "# HERE" in inspect.getsource(program):
        assert found[0].source is not None
        assert found[0].source.line == line_of(program)


def test_weights_that_are_all_zero_are_to_be_drawn_at_random(tmp_path: Path) -> None:
    (told,) = [each for each in warnings_of(tmp_path, weights_of_zero) if each.kind == "zero_gradient"]
    assert "as 4.weight, which the gradient is multiplied with, is all zero" in told.explanation
    assert told.suggestion.startswith("Give the weights small random numbers")


def test_what_half_precision_rounds_away_is_kept_in_float32(tmp_path: Path) -> None:
    (warning,) = warnings_of(tmp_path, updates_that_bfloat16_rounds_away)
    assert "the rounding to their type takes them away" in warning.explanation
    assert warning.suggestion.startswith("Keep the parameters in float32")


TRAINING = """
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
extra = torch.ones(3, requires_grad=True)
optimizer = torch.optim.{optimizer}([*model.parameters(), extra], lr=0.01{options})
for _ in range(4):
    optimizer.zero_grad()
    (model(torch.randn(16, 4)).square().mean() + extra.sum()).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("optimizer", "options"),
    [("SGD", ""), ("SGD", ", momentum=0.9, foreach=True"), ("AdamW", ", foreach=True"), ("Adam", ", fused=True")],
)
def test_variables_are_known_by_name_with_their_gradients_and_writes(
    tmp_path: Path, optimizer: str, options: str
) -> None:
    program = tmp_path / "program.py"
    program.write_text(TRAINING.format(optimizer=optimizer, options=options))
    programs.run(
        [sys.executable, "-m", "tensordbg", "run", "--out", str(tmp_path / "traces"), str(program)],
        check=True, capture_output=True,
    )  # fmt: skip
    (folder,) = (tmp_path / "traces").iterdir()
    trace = tensordbg.open(folder)
    described = read_program(open_trace(folder))
    names = {number: each.name for number, each in described.variables.items()}
    trained = {"0.weight", "0.bias", "1.weight", "1.bias", "3.weight", "3.bias", "extra"}
    assert {each.name for each in described.variables.values() if each.trainable} == trained
    assert {names[number] for number in noted_gradients(described)} == trained
    writes = held_variables(described).writes
    assert {names[described.sites[first].reads[0]] for first in writes.values()} >= trained
    shown = trace.tensor("0.weight")
    assert len(shown.points) >= 5  # at first, and what each step writes
    assert [each.step for each in shown.points][:2] == [0, 0]
