from __future__ import annotations

from pathlib import Path

import pytest

import tensordbg

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def recorded(folder: Path, lowest: float, *, flushes: bool) -> Path:
    logits = torch.tensor([[0.0, lowest, -3.0], [1.0, 0.5, 2.0]], requires_grad=True)
    torch.set_flush_denormal(flushes)
    try:
        with tensordbg.record(folder):
            torch.log(torch.softmax(logits, 1)).sum().backward()
    finally:
        torch.set_flush_denormal(False)
    return folder


def test_an_input_that_one_run_takes_for_0(tmp_path: Path) -> None:
    keeps, flushes = (recorded(tmp_path / str(each), -91.0, flushes=each) for each in (False, True))
    for a, b, words in (
        (keeps, flushes, "e-40, below the normal numbers, are kept in A and taken for 0 in B"),
        (flushes, keeps, "e-40, below the normal numbers, are kept in B and taken for 0 in A"),
    ):
        found = tensordbg.diff(a, b).first
        assert found is not None
        assert found.a is not None
        assert (found.kind, found.a.view.tensor) == ("value", "aten::log:0")
        assert "gives 1 -inf among 6 elements where aten::log of" in found.explanation
        assert words in found.explanation


def test_where_nothing_is_so_small_the_runs_are_the_same(tmp_path: Path) -> None:
    one, other = (recorded(tmp_path / str(each), -60.0, flushes=each) for each in (False, True))
    assert tensordbg.diff(one, other).status == "same"
