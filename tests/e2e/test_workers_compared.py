"""Real trainings of several processes in which nothing is NaN: one has other parameters, or stands still."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tensordbg
from tensordbg.analysis.processes.matrix import STATES, read_matrix
from tensordbg.trace.folders.runs import find_run
from tensordbg.trace.reader import open_trace
from tensordbg.trace.sums.by_step import KINDS
from tests.e2e.test_many_processes import free_ports

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

PROGRAM = """
import sys, time, torch, torch.distributed as dist
from torch import nn
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2)))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(7):
    batch = torch.randn(8, 4, generator=torch.Generator().manual_seed(10 * step + rank))
    if "hangs" in sys.argv and rank == 1 and step == 5:
        open("hangs", "w").close()
        time.sleep(1000)
    loss = model(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # HERE
    if "wrong" in sys.argv and rank == 2 and step == 3:
        model.module[2].weight.detach().numpy()[1, 4] *= 1.0001  # as a processor would that computes wrong
dist.destroy_process_group()
"""


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Starts the training in three processes, recorded."""
    (folder / "train.py").write_text(PROGRAM)
    (port,) = free_ports(1)
    launch = ["torchrun", "--nproc-per-node", "3", "--master-port", str(port), "train.py", *words]
    return subprocess.Popen(
        [sys.executable, "-m", "tensordbg", "run", "--out", "runs", *launch],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_a_rank_with_another_parameter_is_named(tmp_path: Path) -> None:
    said, _ = start(tmp_path, "wrong").communicate(timeout=300)
    result = tensordbg.open_run(tmp_path / "runs").why()
    assert result.status == "finite", said
    (alert,) = result.alerts
    assert (alert.kind, alert.process, alert.evidence["variable"]) == ("other_parameters", "rank 2", "module.2.weight")
    assert alert.evidence["step"] == 4
    assert alert.source is not None
    assert "# HERE" in alert.source.text
    traces = {each.name: open_trace(each.folder) for each in find_run(tmp_path / "runs").processes}
    matrix = read_matrix(traces, "", 400)
    assert matrix.measures == KINDS
    apart = matrix.states[:, :7] == STATES.index("apart")
    assert apart.tolist() == [[False] * 7, [False] * 7, [False] * 4 + [True] * 3]


def test_ranks_that_are_alike_are_not(tmp_path: Path) -> None:
    said, _ = start(tmp_path).communicate(timeout=300)
    result = tensordbg.open_run(tmp_path / "runs").why()
    assert (result.status, result.alerts, len(result.processes)) == ("finite", (), 3), said


def test_the_rank_that_the_others_wait_for_is_named(tmp_path: Path) -> None:
    program = start(tmp_path, "hangs")
    try:
        while not (tmp_path / "hangs").exists() and program.poll() is None:
            time.sleep(0.1)
        run = tensordbg.open_run(tmp_path / "runs")
        while not run.why().alerts and program.poll() is None:
            time.sleep(1)
            run = tensordbg.open_run(tmp_path / "runs")
        (alert,) = run.why().alerts
    finally:
        for trace in (tmp_path / "runs").iterdir():  # the launcher starts its workers as leaders of groups of their own
            with contextlib.suppress(ProcessLookupError):
                os.kill(json.loads((trace / "trace.json").read_text())["pid"], signal.SIGKILL)
        said, _ = program.communicate()
    assert (alert.kind, alert.process) == ("standing_still", "rank 1"), said
