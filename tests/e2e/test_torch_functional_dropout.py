"""Dropout by a function, which isn't told whether its layer learns, and programs that look like it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tensordbg

torch: Any = pytest.importorskip("torch")
functional: Any = torch.nn.functional
Drop = Callable[[Any, bool], Any]


def unaware(x: Any, learns: bool) -> Any:
    return functional.dropout(x, 0.5)


def aware(x: Any, learns: bool) -> Any:
    return functional.dropout(x, 0.5, training=learns)


def intended(x: Any, learns: bool) -> Any:
    return functional.dropout(x, 0.5, training=True)


def drawn(x: Any, learns: bool) -> Any:
    return x * torch.bernoulli(torch.full_like(x, 0.5))


class Model(torch.nn.Module):  # type: ignore[misc]
    def __init__(self, dropped: Drop) -> None:
        super().__init__()
        self.hidden, self.out, self.dropped = torch.nn.Linear(4, 8), torch.nn.Linear(8, 1), dropped

    def forward(self, x: Any) -> Any:
        return self.out(self.dropped(torch.relu(self.hidden(x)), self.training))


def warnings_of(dropped: Drop, folder: Path, switched: tuple[bool, bool] = (True, False)) -> dict[str, str]:
    """By kind of warning the fix, of a model that is trained and asked in turns, switched to learn or not."""
    torch.manual_seed(0)
    x = torch.randn(16, 4)
    y = (x.sum(1, keepdim=True) > 0).float()
    with tensordbg.record(folder) as recording:
        model = Model(dropped)
        optimizer = torch.optim.SGD(model.parameters(), 0.01)
        for _ in range(4):
            model.train(switched[0])
            for _ in range(3):
                optimizer.zero_grad()
                functional.binary_cross_entropy_with_logits(model(x), y).backward()
                optimizer.step()
            model.train(switched[1])
            with torch.no_grad():
                functional.binary_cross_entropy_with_logits(model(x), y).item()
    return {each.kind: each.suggestion for each in tensordbg.open(recording.path).why().warnings}


def test_what_drops_in_a_validation_too(tmp_path: Path) -> None:
    assert warnings_of(unaware, tmp_path)["training_mode"].startswith("Write `F.dropout(x, p, training=self.training)`")


def test_a_validation_that_does_not_switch(tmp_path: Path) -> None:
    assert warnings_of(aware, tmp_path, (True, True))["training_mode"].startswith("Call `model.eval()`")


@pytest.mark.parametrize("dropped", [aware, intended, drawn])
def test_what_is_meant(dropped: Drop, tmp_path: Path) -> None:
    assert warnings_of(dropped, tmp_path) == {}
