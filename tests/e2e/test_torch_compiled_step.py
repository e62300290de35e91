"""Programs of PyTorch that compile the step of their optimizer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import programs

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

PROGRAM = """
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(10, 16), nn.GELU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=torch.tensor(1e-2))

@torch.compile
def update():
    optimizer.step()

for step in range(4):
    x, y = torch.randn(32, 10), torch.randint(0, 3, (32,))
    if step == 2:
        x[7] *= 40000
    p = torch.softmax(net(x), -1)
    loss = -torch.log(p[torch.arange(32), y]).mean()
    optimizer.zero_grad()
    loss.backward()
    update()
    print(step, loss.item(), sum(each.sum().item() for each in net.parameters()))
"""


def start(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(PROGRAM)
    command = [sys.executable, *(["-m", "tensordbg"] if words else []), *words, "train.py"]
    return programs.run(command, cwd=folder, capture_output=True, check=False, text=True, timeout=500)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    return start(tmp_path_factory.mktemp("plain"))


def test_it_is_followed_into_the_variables_that_it_writes(
    tmp_path: Path, plain: subprocess.CompletedProcess[str]
) -> None:
    done = start(tmp_path, "run", "--out", "traces")
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert "Dynamo does not know how to trace" not in done.stderr
    why = programs.run(
        [sys.executable, "-m", "tensordbg", "why", "traces", "--json"], cwd=tmp_path, capture_output=True, text=True
    )
    (origin,) = json.loads(why.stdout)["origins"]
    assert (origin["cause"], origin["step"]) == ("log_of_zero", 2)


def test_the_trap_stops_before_it(tmp_path: Path, plain: subprocess.CompletedProcess[str]) -> None:
    done = start(tmp_path, "trap")
    assert done.returncode == 3
    assert done.stdout == "".join(plain.stdout.splitlines(keepends=True)[:2])
    assert "Dynamo" not in done.stderr
    assert "recompile" not in done.stderr
