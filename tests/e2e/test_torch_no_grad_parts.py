"""Terms of a loss that are computed where gradients are switched off, and what is meant to have none there."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import pytest

import tensordbg

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
from torch import Tensor, nn  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

Loss = Callable[[nn.Sequential, Tensor, Tensor], Tensor]


@torch.no_grad()
def smoothness(model: nn.Module, x: Tensor) -> Tensor:
    return (model(x + 0.1) - model(x)).square().mean()  # OFF


def by_decorator(model: nn.Sequential, x: Tensor, out: Tensor) -> Tensor:
    return 0.5 * smoothness(model, x)


def by_block(model: nn.Sequential, x: Tensor, out: Tensor) -> Tensor:
    with torch.no_grad():
        size = model[0].weight.square().sum()  # OFF
    return 1e-2 * size


# fmt: off
def by_one_line(model: nn.Sequential, x: Tensor, out: Tensor) -> Tensor:
    with torch.no_grad(): size = model[0].weight.square().sum()  # noqa: E701  # OFF
    return 1e-2 * size


def target_of_one_line(model: nn.Sequential, x: Tensor, out: Tensor) -> Tensor:
    with torch.no_grad(): following = x.sum(1, keepdim=True) + 0.9 * model(x + 1).amax(1, keepdim=True)  # noqa: E701
    return (out - following).square().mean()


def baseline_of_one_line(model: nn.Sequential, x: Tensor, out: Tensor) -> Tensor:
    with torch.no_grad(): expected = model(x).mean()  # noqa: E701
    return -(out.log_softmax(1)[:, 0] * (x[:, 0] - expected)).mean()
# fmt: on


def by_block_before(model: nn.Sequential, x: Tensor, out: Tensor) -> Tensor:
    with torch.set_grad_enabled(False):
        features = model(x)  # OFF
    return 0.1 * features.square().mean()


def by_inference(model: nn.Sequential, x: Tensor, out: Tensor) -> Tensor:
    with torch.inference_mode():
        size = model[0].weight.abs().mean()  # OFF
    return 1e-2 * size.clone()


def target(model: nn.Sequential, x: Tensor, out: Tensor) -> Tensor:
    with torch.no_grad():
        following = x.sum(1, keepdim=True) + 0.9 * model(x + 1).amax(1, keepdim=True)
    return (out - following).square().mean()


def teacher(model: nn.Sequential, x: Tensor, out: Tensor) -> Tensor:
    with torch.no_grad():
        believed = copy.deepcopy(model)(x).mean()
    return (out.mean() - believed).abs()


def old_policy(model: nn.Sequential, x: Tensor, out: Tensor) -> Tensor:
    with torch.no_grad():
        before = model(x).log_softmax(1)
    return (out.log_softmax(1) - before).mean()


def baseline(model: nn.Sequential, x: Tensor, out: Tensor) -> Tensor:
    with torch.no_grad():
        expected = model(x).mean()
    return -(out.log_softmax(1)[:, 0] * (x[:, 0] - expected)).mean()


def weighed(model: nn.Sequential, x: Tensor, out: Tensor) -> Tensor:
    size = out.square().mean()
    with torch.no_grad():
        factor = 1.0 / (size + 1e-6)
    return size * factor


def computed_again(model: nn.Sequential, x: Tensor, out: Tensor) -> Tensor:
    part = checkpoint(lambda given: model(given).square().mean(), x, use_reentrant=False)
    assert isinstance(part, Tensor)
    return part


def watched(model: nn.Sequential, x: Tensor, out: Tensor) -> Tensor:
    with torch.no_grad():
        (out.square().mean() + model[0].weight.norm()).item()
    return out.square().mean()


def warnings_of(part: Loss, folder: Path) -> list[tuple[str, str]]:
    torch.manual_seed(0)
    with tensordbg.record(folder) as recording:
        model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3))
        optimizer = torch.optim.SGD(model.parameters(), 1e-2)
        for _ in range(8):
            x = torch.randn(32, 8)
            out = model(x)
            loss = nn.functional.cross_entropy(out, x[:, :3].argmax(1)) + part(model, x, out)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    found = tensordbg.open(recording.path).why().warnings
    return [(each.kind, each.source.text if each.source else "") for each in found]


@pytest.mark.parametrize("part", [by_decorator, by_block, by_one_line, by_block_before, by_inference])
def test_the_line_that_runs_without_gradients_is_told(part: Loss, tmp_path: Path) -> None:
    ((kind, line),) = warnings_of(part, tmp_path)
    assert (kind, line.endswith("# OFF")) == ("cut_part", True)


@pytest.mark.parametrize(
    "part",
    [
        *(target, teacher, old_policy, baseline, weighed, computed_again, watched),
        *(target_of_one_line, baseline_of_one_line),
    ],
    ids=lambda part: part.__name__,
)
def test_what_is_meant_to_have_no_gradient(part: Loss, tmp_path: Path) -> None:
    assert warnings_of(part, tmp_path) == []
