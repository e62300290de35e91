"""`tdbg diff --noise`: the tolerance by a twin of the reference in float64."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tensordbg
from tensordbg.errors import UsageError
from tests import programs
from tests.programs import TDBG

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def recorded(folder: Path, dtype: Any = torch.float32, change: float = 1.0) -> Path:
    """Records the variance of numbers far from zero by the difference of two large ones, whose rounding is large."""
    drawn = torch.Generator().manual_seed(3)
    x, weight = torch.rand(16, 32, generator=drawn), torch.rand(32, 8, generator=drawn)
    with tensordbg.record(folder):
        h = x.to(dtype) @ weight.to(dtype) + 100
        spread = (h.square() - 10_000) * change
        torch.tanh(spread / 1000 - 1).sum()
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("noise")
    recorded(folder / "a")
    recorded(folder / "twin", torch.float64)
    recorded(folder / "b", change=1 + 1e-5)
    return folder


def test_the_tolerance_is_what_rounding_does_to_the_reference(runs: Path) -> None:
    result = tensordbg.diff(runs / "a", runs / "a", noise=runs / "twin")
    assert result.status == "same"
    assert 1e-7 < result.tolerance < 1e-4
    assert result.tolerance != tensordbg.diff(runs / "a", runs / "a").tolerance


def test_it_is_given_once(runs: Path) -> None:
    said = programs.run(
        [TDBG, "diff", "a", "b", "--noise", "twin", "--tolerance", "1e-3"],
        cwd=runs, capture_output=True, check=False, text=True,
    )  # fmt: skip
    assert said.returncode == 2
    assert "--noise twin finds the tolerance out, and --tolerance gives it; leave one of them out" in said.stderr
    said = programs.run(
        [TDBG, "diff", "a", "b", "--noise", "twin"], cwd=runs, capture_output=True, check=False, text=True
    )
    assert said.returncode in (0, 1), said.stderr


def test_a_twin_of_something_else_is_refused(runs: Path, tmp_path: Path) -> None:
    with tensordbg.record(tmp_path / "other"):
        torch.ones(3, 3).sum()
    with pytest.raises(UsageError, match="the twin has no value in common with A"):
        tensordbg.diff(runs / "a", runs / "a", noise=tmp_path / "other")
