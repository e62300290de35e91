"""Where a loss is cut from what is trained, of real trainings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tensordbg

torch: Any = pytest.importorskip("torch")


def by_argmax(out: Any) -> Any:
    return out.argmax(1).float().mean().requires_grad_()  # CUTS


def by_detach(out: Any) -> Any:
    hidden = torch.tanh(out).detach()  # CUTS
    return (hidden * torch.ones(1, requires_grad=True)).mean()


@pytest.mark.parametrize(
    ("loss_of", "words"),
    [
        (by_argmax, "aten::argmax:0 ({}) made int64 of float32, and no gradient goes through"),
        (by_detach, "`.detach()` cuts it off ({})"),
    ],
)
def test_the_line_that_cuts_it_off_is_told(tmp_path: Path, loss_of: Callable[[Any], Any], words: str) -> None:
    with tensordbg.record(tmp_path) as recording:
        model, x = torch.nn.Linear(3, 2), torch.ones(4, 3)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for _ in range(6):
            labels = x.argmax(1)  # of no matter to what is trained
            optimizer.zero_grad()
            (loss_of(model(x)) + labels.float().mean()).backward()
            optimizer.step()
    (warning,) = tensordbg.open(recording.path).why().warnings
    assert warning.kind == "without_gradient"
    lines = enumerate(Path(__file__).read_text().splitlines(), 1)
    own = loss_of.__code__.co_firstlineno
    number, text = next((number, text) for number, text in lines if number > own and text.endswith("# CUTS"))
    assert words.format(f"{Path(__file__).name}:{number}, `{text.strip()}`") in warning.explanation
