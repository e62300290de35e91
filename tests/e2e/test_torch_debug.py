"""`tdbg debug` walks through PyTorch programs, by the real command and a script."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tensordbg.capture.reader import list_captures, open_capture
from tests import programs

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

TDBG = Path(sys.executable).with_name("tdbg")
PROGRAM = """\
import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))

    def forward(self, x, scale):
        h = self.body(x)
        return torch.softmax(h * scale, -1)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(6):
    x, y = torch.randn(16, 4), torch.randint(0, 3, (16,))
    p = model(x, 300.0 if step == 3 else 1.0)
    loss = -torch.log(p[torch.arange(16), y]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item(), flush=True)
"""


def line_of(text: str) -> int:
    return 1 + next(i for i, line in enumerate(PROGRAM.splitlines()) if text in line)


def debug(folder: Path, script: str, text: str = PROGRAM, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(text)
    command = [TDBG, "debug", "--out", folder / "traces", "-c", script, *words, "train.py"]
    return programs.run(command, capture_output=True, text=True, check=False, cwd=folder)


def answers(done: subprocess.CompletedProcess[str]) -> list[tuple[str, str]]:
    """Each command with what was printed after it."""
    parts = re.split(r"^tdbg> (.*)$", done.stdout, flags=re.MULTILINE)
    return [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]


def test_the_classic_walk(tmp_path: Path) -> None:
    script = "run; lt; run; run; run -f non_finite; lt -f non_finite; pt aten::log:0; li aten::log; why; exit"
    done = debug(tmp_path, script)
    assert done.returncode == 0, done.stderr
    (_, first), (_, net), (_, listed), (_, backward), (_, step), (_, bad), (_, bad_listed), *looks = answers(done)
    assert first.strip() == "op-start: aten::uniform_"
    assert net.strip() == "run-end: run #1: Net()"
    assert "tensors of run 1:" in listed
    assert "aten::_softmax:0" in listed
    assert "aten::uniform_" not in listed
    assert backward.strip() == "run-end: run #2: backward()"
    assert step.strip() == "run-end: run #3: Adam.step()"
    assert 'run-end: run #11: backward()\na tensor passes filter "non_finite"' in bad
    assert "aten::log:0" in bad_listed
    shown = dict(looks)
    assert "-inf" in shown["pt aten::log:0"]
    assert "aten::index" in shown["li aten::log"]
    assert "log_of_zero" in shown["why"]


def test_it_stops_at_lines_and_steps_over_them(tmp_path: Path) -> None:
    softmax, loss = line_of("torch.softmax"), line_of("torch.log")
    breaks = ["--break", f"train.py:{softmax}", "--break", f"train.py:{loss} if step == 3"]
    done = debug(tmp_path, "c; ri; c; delete 1; c; ri; s; s; c", PROGRAM, *breaks)
    said = answers(done)
    assert "op-start: aten::mul, run #1\nbreakpoint 1" in said[1][1]
    assert "  h      float32[16, 3]" in said[2][1]
    # One stop in each call: what the line runs behind its first operation is part of the line.
    assert "op-start: aten::mul, run #4\nbreakpoint 1" in said[3][1]
    assert f"op-start: aten::arange\nbreakpoint 2 (line {tmp_path / 'train.py'}:{loss} if step == 3)" in said[5][1]
    assert "  p  float32[16, 3]  min 0 " in said[6][1]
    assert said[7][1].strip() == "op-end: aten::arange"
    assert "op-start: " in said[8][1]
    assert [line.split()[0] for line in done.stdout.splitlines() if re.match(r"\d ", line)] == list("012345")


LOOPS = """import torch

model = torch.nn.Linear(2, 1)
data = torch.utils.data.TensorDataset(torch.arange(8.0).reshape(4, 2), torch.ones(4))
s = torch.tensor(0.0)
for epoch in range(3):
    for k, (x, y) in enumerate(torch.utils.data.DataLoader(data, batch_size=2)):
        with torch.no_grad():
            s = s + x.sum() * y.mean()
    print("result", epoch, s.item())
"""


def test_the_line_of_a_for_stops_once_in_each_turn(tmp_path: Path) -> None:
    breaks = ["--break", "train.py:6 if s > 27", "--break", "train.py:7 if x[0, 0] > 3"]
    done = debug(tmp_path, "c; ri; c; c; ri; c; delete 1; delete 2; c", LOOPS, *breaks)
    said = [answer.strip() for _, answer in answers(done)]
    assert done.returncode == 0, done.stderr
    assert "breakpoint 2 (line " in said[1] and re.search(
        r"^  x +float32\[2, 2\] +\[\[4\., 5\.\]", said[2], re.MULTILINE
    )
    assert "result 0 28.0" in said[3] and "breakpoint 1 (line " in said[3] and "breakpoint 2 (line " in said[4]
    assert "result 1 56.0" in said[6] and "breakpoint 1 (line " in said[6]
    assert "result 2 84.0" in said[-1] and done.stdout.count("breakpoint 1 (line ") == 2


def test_breakpoints_of_other_kinds_and_steps_that_are_not_recorded(tmp_path: Path) -> None:
    script = (
        "run -t 3; run -n; break -l body.1; c; delete 1; break -u Adam.step; c; delete 2; break -o aten::log; c; "
        f"until train.py:{line_of('loss.backward')}; exit"
    )
    said = [answer.strip().splitlines() for _, answer in answers(debug(tmp_path, script))]
    assert said[1][-1] == "run-end: run #3: Adam.step()"
    assert said[2][-1] == "run-start: run #5: backward()"
    assert said[4][-2:] == ["run-end: run #7: Net()", "breakpoint 1 (layer body.1)"]
    assert said[7][-2:] == ["run-end: run #9: Adam.step()", "breakpoint 2 (function Adam.step)"]
    assert said[10][-2:] == ["run-end: run #10: aten::log", "breakpoint 3 (operation aten::log)"]
    assert said[11][-2].startswith("run-end: run #11: backward()")


def test_a_step_that_is_asked_for_is_captured_whole(tmp_path: Path) -> None:
    done = debug(tmp_path, "run; capture; run -t 6; exit")
    assert done.returncode == 0, done.stderr
    (capture,) = list_captures(tmp_path / "captures")
    header = open_capture(capture).header
    # The forward pass of the first was over when it was asked for.
    assert (header.function, header.step, header.trouble.kind) == ("Net", 1, "asked")
    refused = debug(tmp_path, "run; capture Net; exit")
    assert (
        "a call of 'Net' can't be captured, as that is for functions of TensorFlow" in refused.stdout + refused.stderr
    )


def test_the_program_computes_what_it_computes_without(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    plain = programs.run([sys.executable, "train.py"], capture_output=True, text=True, check=True, cwd=tmp_path)
    done = debug(tmp_path, "break -o aten::nothing; run -f 'nan > 1000000'")
    assert [line for line in done.stdout.splitlines() if re.match(r"\d ", line)] == plain.stdout.splitlines()


def test_exit_within_an_operation_ends_the_program(tmp_path: Path) -> None:
    done = debug(tmp_path, "c; exit", PROGRAM, "--break", f"train.py:{line_of('torch.log')}")
    assert (done.returncode, "0 " in done.stdout.splitlines()) == (0, False)
    assert "Traceback" not in done.stderr
    assert not any(re.match(r"\d ", line) for line in done.stdout.splitlines())


RAISING = """\
import torch
from torch import nn

net, head = nn.Sequential(nn.Linear(10, 20), nn.ReLU()), nn.Linear(12, 2)
try:
    head(torch.ones(3, 3))
except RuntimeError:
    print("caught")
head(net(torch.randn(32, 10)))
"""


def test_the_console_opens_on_what_raised(tmp_path: Path) -> None:
    done = debug(tmp_path, "c; li -r aten::addmm; why", RAISING)
    assert done.returncode == 1
    (_, raised), (_, inputs), (_, why) = answers(done)[1:]
    assert "caught\nrun-error: run #3: Linear()\nRuntimeError: mat1 and mat2 shapes cannot be multiplied" in raised
    assert "[aten::relu] aten::relu:0   float32[32, 20]" in inputs
    assert "raised RuntimeError in aten::addmm, train.py:9" in " ".join(why.split())
    assert done.stderr.count("Traceback") == 1
