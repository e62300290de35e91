"""`tdbg replay` of steps of PyTorch programs, as users have them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tensordbg.capture.reader import list_captures
from tests import programs
from tests.cli.conftest import COMMAND

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

PROGRAM = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.2), nn.Linear(8, 3))

    def forward(self, x, scale):
        return torch.softmax(self.body(x) * scale, -1)


model, data = Net(), TensorDataset(torch.randn(64, 4), torch.randint(0, 3, (64,)))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for step, (x, label) in enumerate(DataLoader(data, batch_size=16, shuffle=True)):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=step == 1):
        probabilities = model(x, torch.tensor([1.0, 300.0][step == 2]))
    loss = -torch.log(probabilities.float()[torch.arange(16), label]).mean()
    loss.backward()
    optimizer.step()
    print(step, flush=True)
"""
LINE = 1 + PROGRAM.splitlines().index("    loss = -torch.log(probabilities.float()[torch.arange(16), label]).mean()")


def tdbg(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return programs.run([*COMMAND, *words], cwd=folder, capture_output=True, check=False, text=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the capture of the third step; the program is not there any more."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "train.py").write_text(PROGRAM)
    done = tdbg(folder, "trap", "--no-replay", "train.py")
    assert (done.returncode, done.stdout) == (3, "0\n1\n"), done.stderr
    (folder / "train.py").unlink()
    return folder


def replay(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (capture,) = list_captures(folder / "captures")
    return tdbg(folder, "replay", str(capture), *words)


def test_it_comes_out_the_same_and_the_line_and_the_cause_are_told_without_the_program(folder: Path) -> None:
    done = replay(folder)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stderr.split())
    assert "the step went wrong again, the same bit for bit" in said
    assert "aten::log:0 produced the first -inf" in said
    assert f"train.py:{LINE}, in step 0" in said
    assert f"> {LINE} loss = -torch.log(" in said
    assert "cause log_of_zero" in said
    assert "The input is the output of a softmax." in said


def test_both_outcomes_of_a_change_are_shown(folder: Path) -> None:
    done = replay(folder, "--set", "scale=1")
    assert done.returncode == 0, done.stderr
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "as captured set scale=1" in lines
    assert "step wrong clean" in lines
    assert any(line.startswith("weights after it not finite: body.0.bias") and "moved by" in line for line in lines)


def test_double_precision_names_where_the_two_part(folder: Path) -> None:
    done = replay(folder, "--float64")
    assert done.returncode == 0, done.stderr
    assert "as captured in float64" in " ".join(done.stdout.split())
    assert "not computed in float64, as there is no such form of it: aten::bernoulli_" in done.stderr


def test_what_an_operation_gives_is_clipped(folder: Path) -> None:
    done = replay(folder, "--clip", "aten::index:0:1e-7:1")
    assert done.returncode == 0, done.stderr
    assert "step wrong clean" in [" ".join(line.split()) for line in done.stdout.splitlines()]


def test_rows_of_a_batch_are_looked_for(folder: Path) -> None:
    done = replay(folder, "--bisect")
    assert done.returncode == 0, done.stderr
    assert "divided were x, label, in" in done.stderr


def test_numbers_that_python_writes_in_the_midst_of_a_step_are_those_of_the_capture(tmp_path: Path) -> None:
    """PyTorch makes an empty tensor of them, and writes them past all operations."""
    (tmp_path / "train.py").write_text("""\
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
x = torch.randn(8, 4)
for step in range(3):
    y = model(x)
    weights = torch.tensor([1.0, 2.0, float("inf") if step == 1 else 3.0])
    scales = torch.empty(3)
    scales.numpy()[:] = [0.5, 0.25, 2.0]
    made = torch.empty(3)
    made.copy_(scales)
    loss = (y**2).mean() * (weights * scales).sum() * made.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""")
    done = tdbg(tmp_path, "trap", "train.py")
    assert done.returncode == 3
    assert "the step went wrong again, the same bit for bit" in done.stderr, done.stderr
