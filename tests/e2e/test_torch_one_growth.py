"""Overflows of one growth in PyTorch are one entry, at the guilty line, with the update that made the numbers large."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

from torch import Tensor, nn  # noqa: E402
from torch.nn import functional  # noqa: E402

import tensordbg  # noqa: E402
from tensordbg.analysis.finding import Origin  # noqa: E402


def improve(optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def a_loss_that_jumps_over_the_limit_while_gradients_grow_to_it() -> None:
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=10.0)
    x = torch.randn(64, 4)
    for _ in range(10):
        loss = functional.mse_loss(net(x), x.sum(1, keepdim=True))  # HERE
        improve(optimizer, loss)


def a_recurrence_whose_weights_an_update_enlarged() -> None:
    before, within, after = nn.Linear(8, 16), nn.Linear(16, 16, bias=False), nn.Linear(16, 1)
    optimizer = torch.optim.Adam([*before.parameters(), *within.parameters(), *after.parameters()], lr=10.0)
    for _ in range(4):
        x, state = torch.randn(16, 40, 8), torch.zeros(16, 16)
        for k in range(40):
            state = torch.relu(before(x[:, k]) + within(state))  # HERE
        improve(optimizer, functional.mse_loss(after(state), x.mean((1, 2))[:, None]))


def a_recurrence_whose_weights_were_large_from_the_start() -> None:
    within = nn.Linear(16, 16, bias=False)
    nn.init.normal_(within.weight, std=3.0)
    optimizer = torch.optim.SGD(within.parameters(), lr=1e-30)
    for _ in range(4):
        state = torch.randn(16, 16)
        for _ in range(60):
            state = torch.relu(within(state))  # HERE
        improve(optimizer, state.mean())


Program = Callable[[], None]
PROGRAMS: tuple[Program, ...] = (
    a_loss_that_jumps_over_the_limit_while_gradients_grow_to_it,
    a_recurrence_whose_weights_an_update_enlarged,
    a_recurrence_whose_weights_were_large_from_the_start,
)


def only_origin(folder: Path, program: Program) -> Origin:
    torch.manual_seed(0)
    with tensordbg.record(folder) as recording:
        program()
    (origin,) = tensordbg.open(recording.path).why().origins
    return origin


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_it_is_told_once_at_its_line(tmp_path: Path, program: Program) -> None:
    lines, first = inspect.getsourcelines(program)
    origin = only_origin(tmp_path, program)
    assert origin.place is not None
    assert origin.place.line == next(first + k for k, line in enumerate(lines) if "# HERE" in line)


def test_the_update_is_told_that_made_a_loop_enlarge_its_state(tmp_path: Path) -> None:
    origin = only_origin(tmp_path, a_recurrence_whose_weights_an_update_enlarged)
    assert "iteration by iteration" in origin.explanation
    assert "had grown from 0.2499 to 10.25 in one update, in step 0" in origin.explanation
    assert origin.suggestion.startswith("One update was too large: lower the learning rate, or clip the gradients")


def test_a_loop_is_to_be_mended_that_no_update_changed(tmp_path: Path) -> None:
    origin = only_origin(tmp_path, a_recurrence_whose_weights_were_large_from_the_start)
    assert "update" not in origin.explanation
    assert origin.suggestion.startswith("The loop enlarges its state in each iteration")
