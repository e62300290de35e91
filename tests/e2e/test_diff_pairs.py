"""`tdbg diff` of trainings in other precisions, in micro-batches, and of recurrent networks with other gates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tensordbg
from tensordbg.analysis.diff.result import Comparison

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F: Any = torch.nn.functional


def network() -> Any:
    torch.manual_seed(0)
    parts = torch.nn.ModuleList([torch.nn.Linear(16, 32), torch.nn.LayerNorm(32), torch.nn.Linear(32, 32)])
    with torch.no_grad():
        parts[2].weight *= 0.5  # a small residual, of which half is lost in what a half precision lets pass
        parts[2].bias *= 0.5
    return parts


def train(half: Any = None, scale: float = 1.0, micro: int = 1, cleared: bool = True, mean: bool = True) -> None:
    """Trains for three steps; what differs from the defaults is an error but for the precision and the parts."""
    first, norm, last = parts = network().to(half)
    optimizer = torch.optim.SGD(parts.parameters(), 0.05)
    drawn = torch.Generator().manual_seed(5)
    for _ in range(3):
        if cleared:
            optimizer.zero_grad()
        x, y = torch.randn(8, 16, generator=drawn), torch.randn(8, 32, generator=drawn)
        for rows, wanted in zip(x.chunk(micro), y.chunk(micro), strict=True):
            h = norm(F.gelu(first(rows.to(half))))
            h = h + torch.relu(last(h)) * scale
            loss = F.mse_loss(h.float(), wanted)
            (loss / micro if mean else loss).backward()
        optimizer.step()


def compared(folder: Path, a: Callable[[], None], b: Callable[[], None]) -> Comparison:
    for name, run in (("a", a), ("b", b)):
        with tensordbg.record(folder / name):
            run()
    return tensordbg.diff(folder / "a", folder / "b")


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
def test_half_precision_is_the_same_and_what_is_planted_is_named(tmp_path: Path, half: Any) -> None:
    assert compared(tmp_path / "healthy", train, lambda: train(half)).status == "same"
    found = compared(tmp_path / "planted", train, lambda: train(half, scale=0.5)).first
    assert found is not None
    assert [(each.attribute, each.a, each.b) for each in found.difference] == [("constant", 1.0, 0.5)]


def test_a_batch_in_parts_is_the_same(tmp_path: Path) -> None:
    result = compared(tmp_path, train, lambda: train(micro=2))
    assert (result.status, result.first) == ("same", None)


@pytest.mark.parametrize("planted", [{"cleared": False}, {"mean": False}])
def test_what_is_wrong_with_parts_is_told_at_the_update(tmp_path: Path, planted: dict[str, bool]) -> None:
    found = compared(tmp_path, train, lambda: train(micro=2, **planted)).first
    assert found is not None
    assert found.kind == "update", found.explanation
    assert found.b is not None
    assert found.b.view.step == (1 if "cleared" in planted else 0)
    assert ("the steps of B are 2 times those of A" in found.explanation) == ("mean" in planted)
    assert ("step before" if "cleared" in planted else "parts") in found.explanation


def recurrent(order: str | None) -> None:
    """A GRU of PyTorch, or one that is written out with its gates in an order."""
    torch.manual_seed(0)
    layer, head = torch.nn.GRU(6, 12, batch_first=True), torch.nn.Linear(12, 3)
    x, y, h = torch.randn(4, 5, 6), torch.randn(4, 3), torch.zeros(4, 12)
    if order is None:
        h = layer(x)[0][:, -1]
    else:
        weights = layer.weight_ih_l0, layer.weight_hh_l0, layer.bias_ih_l0, layer.bias_hh_l0
        for step in x.unbind(1):
            given = dict(zip(order, (step @ weights[0].T + weights[2]).chunk(3, -1), strict=True))
            kept = dict(zip(order, (h @ weights[1].T + weights[3]).chunk(3, -1), strict=True))
            reset, update = (torch.sigmoid(given[gate] + kept[gate]) for gate in "rz")
            h = (1 - update) * torch.tanh(given["n"] + reset * kept["n"]) + update * h
    F.mse_loss(head(h), y).backward()


def test_a_sequence_at_once_or_step_by_step_is_no_difference_of_shapes(tmp_path: Path) -> None:
    assert compared(tmp_path / "healthy", lambda: recurrent(None), lambda: recurrent("rzn")).status == "same"
    found = compared(tmp_path / "planted", lambda: recurrent(None), lambda: recurrent("zrn")).first
    assert found is not None
    assert found.kind == "value", found.explanation
