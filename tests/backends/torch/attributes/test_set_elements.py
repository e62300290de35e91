"""A number that elements are set to stands in the program's text; a tensor that is made of one came in from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tensordbg
from tensordbg.analysis.names.listing import Order, Selection, list_tensors
from tensordbg.trace.reader import open_trace

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed here")


def entered(folder: Path) -> list[tuple[str, tuple[int, ...] | None]]:
    rows = list_tensors(open_trace(folder), Selection(), Order(limit=0)).rows
    return [(row.op_type, row.shape) for row in rows if row.op_type in ("Number", "Input")]


def test_elements_that_are_set(tmp_path: Path) -> None:
    scores = torch.randn(3, 4)
    mask = scores > 0
    with tensordbg.record(tmp_path / "a") as recording:
        made = scores.clone()
        made[mask] = -float("inf")
        made[0, 1] = 2.0
        made[1:, 2:] = float("inf")
        made[1:] = 0.5
    assert sorted(entered(recording.path)) == [*[("Input", (3, 4))] * 2, *[("Number", ())] * 4]


def test_tensors_that_are_made_of_numbers(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path / "a") as recording:
        made = torch.zeros(3)
        largest = torch.tensor(float("inf"))
        made[0] = largest
        kept = {}
        kept["rows"] = torch.tensor([1.0, 2.0])
        made[:2] = kept["rows"]
    assert entered(recording.path) == [("Input", ()), ("Input", (2,))]
