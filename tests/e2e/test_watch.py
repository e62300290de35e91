"""A real training that runs is watched from outside: what goes wrong in it is told while it runs, once."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.watching.test_telling import Hook

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

PROGRAM = """
import os, time, torch
from torch import nn
torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
step = 0
while not os.path.exists("enough"):
    batch = torch.randn(8, 4)
    if step == 3:
        batch[:] = 0
    unit = batch / batch.norm()  # HERE
    loss = (model(unit) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    step += 1
    time.sleep(0.05)
print("ended by itself")
"""


@pytest.fixture
def hook() -> Iterator[Hook]:
    server = Hook(500, 200)
    yield server
    server.close()


def test_a_finding_is_told_while_the_training_runs(tmp_path: Path, hook: Hook) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    tdbg = [sys.executable, "-m", "tensordbg"]
    options = ["--webhook", hook.url, "--on-finding", "cat >> told; echo >> told", "--every", "0.3s", "--metrics", "0"]
    with subprocess.Popen(
        [*tdbg, "watch", "runs", *options, "--report", "pages", "--report-url", "https://pages.example.com/"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as watch:
        assert watch.stdout is not None
        assert watch.stderr is not None
        metrics = re.search(r"http://\S+", watch.stderr.readline())
        assert metrics is not None
        with subprocess.Popen(
            [*tdbg, "run", "--out", "runs", "train.py"],
            cwd=tmp_path,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as training:
            line = watch.stdout.readline()
            assert training.poll() is None, "it was told after the end only"
            assert re.match(r"finding division_by_zero: \S*train\.py:12: aten::div:0 ", line), line
            while len(hook.bodies) < 2:
                time.sleep(0.1)
            with urllib.request.urlopen(metrics[0], timeout=30) as answer:
                figures = answer.read().decode()
            (tmp_path / "enough").touch()
            assert training.communicate(timeout=120)[0] == "ended by itself\n"
        rest, _ = watch.communicate(timeout=120)
    assert watch.returncode == 0
    assert "finding" not in rest.replace("--on-finding", "")
    assert hook.bodies[0] == hook.bodies[1]
    kinds = [body["kind"] for body in hook.bodies[1:]]
    assert kinds.count("finding") == 1
    body = hook.bodies[0]
    assert str(body["place"]).endswith("train.py:12")
    page = str(body["report"]).removeprefix("https://pages.example.com/")
    assert "division_by_zero" in (tmp_path / "pages" / page).read_text()
    assert (tmp_path / "told").read_text().count('"division_by_zero"') == 1
    assert re.search(r'tensordbg_running\{run="\S+_train",process="\S+"\} 1', figures)
    assert re.search(r'tensordbg_findings\{run="\S+",kind="finding",name="division_by_zero"\} 1', figures)
