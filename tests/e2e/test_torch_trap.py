"""`tdbg trap` with PyTorch programs as users have them."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tensordbg.capture.reader import list_captures, open_capture
from tests import programs

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

HEAD = "import torch\nfrom torch import nn\ntorch.manual_seed(0)\ntorch.set_num_threads(1)\n"


def run(folder: Path, text: str, *words: str, trapped: bool = True) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(HEAD + textwrap.dedent(text))
    start = ["-m", "tensordbg", "trap", *words] if trapped else []
    return programs.run(
        [sys.executable, *start, "train.py"], cwd=folder, capture_output=True, check=False, text=True, timeout=500
    )


TRAINING = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 1))

        def forward(self, x, weight=None):
            return self.body(x) * (1 if weight is None else weight)

    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(6):
        x = torch.randn(16, 4)
        if step == BAD:
            x[5, 2] = float("nan")
        optimizer.zero_grad()
        for part in x.chunk(2):
            (model(part, weight=torch.ones(8, 1)) ** 2).mean().backward()
        optimizer.step()
        print(step, [float(each.double().sum()).hex() for each in model.state_dict().values()], flush=True)
"""


def test_a_bad_step_ends_the_program_before_it_writes(tmp_path: Path) -> None:
    done = run(tmp_path, TRAINING.replace("BAD", "3"))
    assert (done.returncode, len(done.stdout.splitlines())) == (3, 3)
    (capture,) = list_captures(tmp_path / "captures")
    assert (
        "tdbg: tensordbg trap: step 3 of Net: the loss is not finite (1 NaN) and 6 of 6 gradients are not finite, such "
        f"as that of body.0.weight (32 NaN); captured in {capture}"
    ) in done.stderr.splitlines()
    header = open_capture(capture).header
    assert [each.tensor.name for each in header.arguments] == ["call0.x", "call0.weight", "call1.x", "call1.weight"]


def test_a_step_that_is_skipped_leaves_everything_as_it_was(tmp_path: Path) -> None:
    done = run(tmp_path, TRAINING.replace("BAD", "3"), "--on-bad", "skip")
    assert done.returncode == 0
    steps = [line.split(" ", 1)[1] for line in done.stdout.splitlines()]
    assert steps[2] == steps[3] != steps[4]
    assert "nan" not in done.stdout


def test_a_program_without_trouble_computes_the_same(tmp_path: Path) -> None:
    done, plain = (
        run(tmp_path, TRAINING.replace("BAD", "9")),
        run(tmp_path, TRAINING.replace("BAD", "9"), trapped=False),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, plain.stdout, plain.stderr)
    assert not list_captures(tmp_path / "captures")


ADVERSARIES = """
    made = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 3))
    judge = nn.Sequential(nn.Linear(3, 4), nn.LeakyReLU(), nn.Linear(4, 1), nn.Sigmoid())
    first, second = torch.optim.SGD(made.parameters(), lr=0.1), torch.optim.RMSprop(judge.parameters())
    for step in range(6):
        real = torch.randn(8, 3) * (1e30 if step == 4 else 1)
        noise = torch.randn(8, 2)
        second.zero_grad()
        (-(torch.log(judge(real)) + torch.log(1 - judge(made(noise).detach()))).mean()).backward()
        second.step()
        first.zero_grad()
        (-torch.log(judge(made(noise))).mean()).backward()
        first.step()
        print(step, flush=True)
"""


def test_each_of_two_optimizers_is_tested(tmp_path: Path) -> None:
    done = run(tmp_path, ADVERSARIES)
    assert (done.returncode, len(done.stdout.splitlines())) == (3, 4)
    (path,) = list_captures(tmp_path / "captures")
    header = open_capture(path).header
    assert header.runtime_name == "RMSprop"
    assert {each.role for each in header.trouble.suspects} == {"loss", "gradient"}


def test_a_call_is_not_captured_and_that_is_said(tmp_path: Path) -> None:
    done = run(tmp_path, "print(torch.ones(2).sum())", "--call", "f")
    assert (done.returncode, done.stdout) == (0, "tensor(2.)\n")
    assert done.stderr == "tdbg: call 0 of f was not captured: that is for functions of TensorFlow; leave --call out\n"


SCALED = """
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=SCALE)
    for step in range(6):
        x = torch.randn(8, 4)
        if step == BAD:
            x[2] = 0
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            loss = ((model(x / x.norm(dim=1, keepdim=True)) - 1) ** 2).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        print(step, loss.item(), scaler.get_scale(), flush=True)
"""


def test_a_loss_that_is_bad_before_it_is_scaled_is_trapped_in_its_step(tmp_path: Path) -> None:
    text = SCALED.replace("SCALE", "256.0").replace("BAD", "3")
    stopped, skipped = run(tmp_path, text), run(tmp_path, text, "--on-bad", "skip")
    assert (stopped.returncode, len(stopped.stdout.splitlines())) == (3, 3)
    assert "step 3 of Sequential: the loss is not finite (1 NaN) and 4 of 4 gradients are not finite" in stopped.stderr
    traceback = stopped.stderr.partition("Traceback (most recent call last):\n")[2]
    assert "scaler.step(optimizer)" in traceback
    assert f"{Path('tensordbg') / 'backends'}" not in traceback
    # A scaler leaves that step out by itself; those that follow are as without a trap.
    assert skipped.stdout == run(tmp_path, text, trapped=False).stdout


def test_an_overflow_under_a_scale_is_no_trouble(tmp_path: Path) -> None:
    text = SCALED.replace("SCALE", "2.0**40").replace("BAD", "9")
    done, plain = run(tmp_path, text), run(tmp_path, text, trapped=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, plain.stdout, plain.stderr)
    scales = [float(line.split()[2]) for line in plain.stdout.splitlines()]
    assert scales == sorted(scales, reverse=True) != [scales[0]] * 6
