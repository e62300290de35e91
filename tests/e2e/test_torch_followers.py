"""What follows from a trouble in a PyTorch training is not told again: one trouble is one warning."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

from tests.e2e.test_torch_warnings import X, Y, line_of, model, warnings_of  # noqa: E402


def a_training_that_diverges_and_kills_a_layer() -> None:
    net, x = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)), X[:, :4] + 2
    optimizer = torch.optim.SGD(net.parameters(), lr=1.5)
    for _ in range(30):
        optimizer.zero_grad()
        functional.mse_loss(net(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()


def an_output_at_its_limit_through_which_nothing_comes() -> None:
    net = nn.Linear(8, 1)
    nn.init.constant_(net.weight, 30.0)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(12):
        optimizer.zero_grad()
        p = torch.sigmoid(net(torch.ones(4, 8)))  # HERE
        (-torch.log(1 - p + 1e-12).mean()).backward()
        optimizer.step()


def a_dead_layer_beside_a_scale_that_grows() -> None:
    """The scale is trained for a loss of its own."""
    net, scale = model(), nn.Parameter(torch.ones(1))
    with torch.no_grad():
        net[2].bias.fill_(-100)
    first, second = torch.optim.Adam(net.parameters(), lr=0.05), torch.optim.SGD([scale], lr=1.0)
    for _ in range(30):
        for optimizer, loss in ((first, functional.cross_entropy(net(X), Y)), (second, -scale.square().mean())):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


@pytest.mark.parametrize(
    ("program", "kinds"),
    [
        (a_training_that_diverges_and_kills_a_layer, ["growing_values"]),
        (an_output_at_its_limit_through_which_nothing_comes, ["saturated_output"]),
        (a_dead_layer_beside_a_scale_that_grows, ["growing_values", "dead_units"]),
    ],
)
def test_what_follows_from_a_trouble_is_not_told_again(
    tmp_path: Path, program: Callable[[], None], kinds: list[str]
) -> None:
    told = warnings_of(tmp_path, program)
    assert [each.kind for each in told] == kinds
    if "# HERE" in inspect.getsource(program):
        assert told[0].source is not None
        assert told[0].source.line == line_of(program)
