"""Where the trap says that numbers come from that were bad before a step's first call of a module."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests import programs

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

TRAINING = """
    import torch
    from torch import nn
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    rows, labels = torch.rand(32, 4) + 0.5, torch.rand(32, 1)
    SPOIL
    data = torch.utils.data.TensorDataset(rows, labels)
    for x, y in torch.utils.data.DataLoader(data, batch_size=8):
        PREPARE
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        print(loss.item(), flush=True)
"""

WITHOUT_MODULES = """
    import torch
    torch.manual_seed(0)
    weight = torch.rand(4, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.01)
    rows = torch.rand(32, 4)
    rows[20, 1] = float("nan")
    for k in range(4):
        x = rows[k * 8 : k * 8 + 8]
        optimizer.zero_grad()
        ((x @ weight - 1) ** 2).mean().backward()
        optimizer.step()
"""


def told_of(folder: Path, text: str) -> str:
    """What `tdbg trap` says of a program, without breaks of lines."""
    (folder / "train.py").write_text(textwrap.dedent(text))
    command = [sys.executable, "-m", "tensordbg", "trap", "train.py"]
    done: subprocess.CompletedProcess[str] = programs.run(
        command, cwd=folder, capture_output=True, check=False, text=True, timeout=500
    )
    assert done.returncode == 3
    return " ".join(f"{done.stdout} {done.stderr}".split())


def trained(spoil: str, prepare: str) -> str:
    return TRAINING.replace("SPOIL", spoil).replace("PREPARE", prepare)


@pytest.mark.parametrize(
    ("spoil", "prepare"),
    [
        ("rows[20, 1] = -1.0", "x = torch.log(x)"),
        ("rows[20, 1] = -1.0", "x.log_()"),
        ("rows[16:24, 1] = 1.0", "x = (x - x.mean(0)) / x.std(0)"),
        ("labels[20] = -1.0", "y = torch.sqrt(y)"),
    ],
)
def test_what_the_loop_computes_before_the_model_is_not_told_as_bad_data(
    tmp_path: Path, spoil: str, prepare: str
) -> None:
    told = told_of(tmp_path, trained(spoil, prepare))
    assert "cause bad_before_step: " in told
    assert "before the first module of the step was called" in told
    assert "`tdbg run --check`" in told
    assert "bad_input_data" not in told


@pytest.mark.parametrize(
    ("spoil", "prepare"),
    [
        ('rows[20, 1] = float("nan")', "pass"),
        ('rows[20, 1] = float("inf")', "x = x.float().view(-1, 4)"),
        ('labels[20] = float("nan")', "x = x * 2"),
    ],
)
def test_what_a_loader_gave_is_bad_data(tmp_path: Path, spoil: str, prepare: str) -> None:
    told = told_of(tmp_path, trained(spoil, prepare))
    assert "cause bad_input_data: " in told
    assert "as the loader of the data gave it" in told
    assert "bad_before_step" not in told


def test_where_no_module_is_called_it_was_there_before_the_step(tmp_path: Path) -> None:
    told = told_of(tmp_path, WITHOUT_MODULES)
    assert "cause bad_before_step: x:0 held 1 NaN among 32 elements before the step began" in told
