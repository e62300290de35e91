"""`tdbg diff` of traces that hold the elements: the error is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

import tensordbg
from tensordbg.report.diff_text import render

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def trained(epsilon: float) -> None:
    torch.manual_seed(3)
    x, gamma = torch.randn(4, 6), torch.rand(6) + 1
    torch.nn.functional.layer_norm(x, (6,), gamma, None, epsilon).square().sum()


def test_the_elements_are_compared_where_they_were_kept(tmp_path: Path) -> None:
    for name, epsilon in (("a", 1e-3), ("b", 1e-1)):
        with tensordbg.record(tmp_path / name, detail="values"):
            trained(epsilon)
    result = tensordbg.diff(tmp_path / "a", tmp_path / "b")
    assert result.first is not None
    found = result.first.measured
    assert found is not None
    assert found.unequal == found.size == 24
    assert found.largest == pytest.approx(abs(found.a - found.b), rel=1e-6)
    assert 0.01 < found.largest < 0.5
    assert "the elements are at most" in render(result)


def test_nothing_is_measured_without_elements(tmp_path: Path) -> None:
    for name, epsilon in (("a", 1e-3), ("b", 1e-1)):
        with tensordbg.record(tmp_path / name):
            trained(epsilon)
    result = tensordbg.diff(tmp_path / "a", tmp_path / "b")
    assert result.first is not None
    assert result.first.measured is None
