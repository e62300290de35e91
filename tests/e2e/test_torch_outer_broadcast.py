"""Labels that meet every prediction by mistake, where examples and labels are taken by one line."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import tensordbg

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
from torch import nn  # noqa: E402


def kinds(loss: str, column: str, folder: Path) -> list[str]:
    torch.manual_seed(0)
    with warnings.catch_warnings(), tensordbg.record(folder) as recording:
        warnings.simplefilter("ignore")  # PyTorch warns of it too, once
        model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
        optimizer = torch.optim.Adam(model.parameters(), 1e-2)
        examples = torch.randn(128, 8)
        labels = examples.sum(1, keepdim=bool(column))
        for _ in range(12):
            i = torch.randint(0, 128, (16,))
            x, y = examples[i], labels[i]
            optimizer.zero_grad()
            getattr(nn.functional, loss)(model(x), y).backward()
            optimizer.step()
    return [each.kind for each in tensordbg.open(recording.path).why().warnings]


@pytest.mark.parametrize("loss", ["mse_loss", "smooth_l1_loss"])
def test_labels_without_their_axis(loss: str, tmp_path: Path) -> None:
    assert kinds(loss, "", tmp_path) == ["outer_broadcast"]


@pytest.mark.parametrize("loss", ["mse_loss", "smooth_l1_loss"])
def test_labels_with_their_axis(loss: str, tmp_path: Path) -> None:
    assert kinds(loss, "column", tmp_path) == []
