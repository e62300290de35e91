"""A captured step of PyTorch's run by its own program: in a debugger, recorded, from a changed source."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tensordbg.capture.reader import list_captures
from tests import programs
from tests.cli.conftest import COMMAND

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

LOSSES = """\
import torch


def entropy(probabilities, label):
    picked = probabilities[torch.arange(len(label)), label]
    return -torch.log(picked).mean()
"""
PROGRAM = """\
import torch
from torch import nn

from losses import entropy

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.2), nn.Linear(8, 3))

    def forward(self, x, scale):
        return torch.softmax(self.body(x) * scale, -1)


model, rows = Net(), torch.randn(48, 4)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for step in range(3):
    x, label = rows[step * 16 : step * 16 + 16], torch.randint(0, 3, (16,))
    optimizer.zero_grad()
    loss = entropy(model(x, torch.tensor([1.0, 300.0][step == 2])), label)
    loss.backward()
    optimizer.step()
    print(step, flush=True)
print("trained")
"""
LINE = 6
CALL = 1 + PROGRAM.splitlines().index("    loss = entropy(model(x, torch.tensor([1.0, 300.0][step == 2])), label)")


def tdbg(folder: Path, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return programs.run([*COMMAND, *words], cwd=folder, input=typed, capture_output=True, check=False, text=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the program lies, with the capture of its third step."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "losses.py").write_text(LOSSES)
    (folder / "train.py").write_text(PROGRAM)
    done = tdbg(folder, "trap", "--no-replay", "train.py")
    assert (done.returncode, done.stdout) == (3, "0\n1\n"), done.stderr
    return folder


@pytest.fixture(scope="module")
def capture(folder: Path) -> str:
    (path,) = list_captures(folder / "captures")
    return str(path)


def test_pdb_stops_at_the_line_of_the_origin_with_what_was_captured(folder: Path, capture: str) -> None:
    done = tdbg(folder, "replay", capture, "--pdb", "train.py", typed="p picked.min().item()\nc\n")
    assert done.returncode == 0, done.stderr
    assert f"tdbg: stopping at {folder / 'losses.py'}:{LINE}" in done.stderr
    assert f"losses.py({LINE})entropy()\n-> return -torch.log(picked).mean()\n(Pdb) 0.0\n" in done.stdout
    assert "tdbg: the step has come to its end" in done.stderr
    assert "0\n" not in done.stdout.split("(Pdb) ")[-1]


def test_pdb_stops_at_a_line_that_is_under_way_when_the_step_begins(folder: Path, capture: str) -> None:
    place = f"train.py:{CALL}"
    done = tdbg(folder, "replay", capture, "--break", place, "train.py", typed="p len(optimizer.state), step\nn\nq\n")
    assert done.returncode == 0, done.stderr
    assert f"train.py({CALL})<module>()\n-> loss = entropy(model(x, " in done.stdout
    assert f"train.py({CALL + 1})<module>()\n-> loss.backward()" in done.stdout
    assert "trained" not in done.stdout


def test_the_step_is_recorded_by_its_program_the_same_to_the_bit(folder: Path, capture: str) -> None:
    done = tdbg(folder, "replay", capture, "--eager", "train.py")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stderr.split())
    assert "tdbg: run by train: the step went wrong again, the same bit for bit" in said
    assert "without torch.compile" in said
    assert "no counterpart" not in said
    assert "produced the first -inf" in said
    assert f"losses.py:{LINE}" in said
    assert "spread reached the loss" in said
    assert "read at" not in said  # the program reads nothing; the replay looks at the loss and the gradients
    assert done.stdout == ""


def test_a_changed_module_is_tried_out(folder: Path, capture: str) -> None:
    (folder / "fixed.py").write_text(LOSSES.replace("log(picked)", "log(picked.clamp(min=1e-7))"))
    done = tdbg(folder, "replay", capture, "--patch", "losses.py=fixed.py", "train.py")
    assert done.returncode == 0, done.stderr
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "as captured with fixed.py" in lines
    assert "step wrong clean" in lines


def test_a_program_that_was_not_named_is_not_run(folder: Path, capture: str) -> None:
    done = tdbg(folder, "replay", capture, "--eager")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no program is named; give the step's own behind the capture" in done.stderr
