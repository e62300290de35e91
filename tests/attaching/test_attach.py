"""What can't be attached; with the real tools it is in tests/e2e/test_attach.py."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import tensordbg
from tests.sample_trace import make_sample_trace


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return make_sample_trace(tmp_path / "sample")


def test_a_tool_that_is_not_known(trace: Path) -> None:
    with pytest.raises(tensordbg.UsageError, match=r"^findings can't be attached to 'comet'; choose one of "):
        tensordbg.attach(trace, "comet")


def test_tensorboard_needs_a_folder(trace: Path) -> None:
    with pytest.raises(tensordbg.UsageError, match="name the folder of one as logdir"):
        tensordbg.attach(trace, "tensorboard")


@pytest.mark.parametrize("tool", ["wandb", "mlflow"])
def test_a_tool_that_is_not_installed(trace: Path, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, tool, None)
    with pytest.raises(tensordbg.UsageError, match=f"^{tool} is not installed; `pip install {tool}`$"):
        tensordbg.attach(trace, tool)
