"""Trainings in two real processes on gloo, as users start them: which process went bad first, and how the other did."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import tensordbg
from tensordbg.analysis.names.listing import Order, Selection, list_tensors
from tests.e2e.test_many_processes import free_ports

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

HEAD = """
import os, sys
import torch, torch.distributed as dist, torch.multiprocessing as mp
from torch import nn
BAD, ENDS = "bad" in sys.argv, "ends" in sys.argv

def batch(rank, step):
    x = torch.randn(8, 4, generator=torch.Generator().manual_seed(step * 2 + rank))
    if BAD and rank == 1 and step == 2:
        x[3] = 0.0
    return x

def train(model, optimizer, rank):
    for step in range(4):
        x = batch(rank, step)
        unit = x / x.norm(dim=1, keepdim=True)  # HERE
        loss = ((model(unit) - 1) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()  # THERE
        optimizer.step()
    parameters = [getattr(each, "_local_tensor", each) for each in model.parameters()]
    # torchrun starts Python with -u, which writes each argument by itself: those of both ranks would mix.
    print(f"rank {rank} {[each.double().sum().item().hex() for each in parameters]}", flush=True)
    dist.barrier()
    if ENDS and rank == 1:
        sys.exit(7)
"""

DDP = (
    HEAD
    + """
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2)))
train(model, torch.optim.SGD(model.parameters(), lr=0.1), rank)
dist.destroy_process_group()
"""
)

FSDP = (
    HEAD
    + """
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2))
mesh = init_device_mesh("cpu", (2,))
fully_shard(model[0], mesh=mesh)
fully_shard(model, mesh=mesh)
train(model, torch.optim.AdamW(model.parameters(), lr=0.1), rank)
dist.destroy_process_group()
"""
)

SPAWNED = (
    HEAD
    + """
def work(rank, port):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(nn.Linear(4, 2))
    train(model, torch.optim.SGD(model.parameters(), lr=0.1), rank)
    dist.destroy_process_group()

if __name__ == "__main__":
    mp.spawn(work, args=(int(os.environ["PORT"]),), nprocs=2)
    print("done")
"""
)

BY_HAND = (
    HEAD
    + """
import torch.distributed._functional_collectives as functional
dist.init_process_group("gloo")
rank = dist.get_rank()
x = torch.full((3,), float(rank + 1))
waiting = dist.all_reduce(x, async_op=True)
waiting.wait()
doubled = x * 2  # 6
parts = torch.empty(6)
dist.all_gather_into_tensor(parts, torch.full((3,), rank + 1.0))
least = parts.view(2, 3).min(dim=0)
half = torch.empty(2)
dist.reduce_scatter_tensor(half, torch.arange(4.0) + rank)
third = half + 1
summed = functional.all_reduce(torch.ones(5) * rank, "sum", dist.group.WORLD)
fourth = summed + 1
if rank == 1:
    dist.send(torch.log(torch.zeros(2)), 0)  # SENT
else:
    got = torch.empty(2)
    dist.recv(got, 1)
    print(float((got * 2).sum()))  # GOT
buffer = torch.zeros(6)
buffer[:3] = torch.ones(3) * rank
buffer[3:] = torch.sqrt(torch.tensor([-1.0, 1.0, 1.0])) if rank == 0 else torch.ones(3)  # PIECE
dist.broadcast(buffer, 0)
print(rank, buffer.sum().item())
dist.destroy_process_group()
"""
)


@dataclass(frozen=True)
class Ended:
    code: int
    ranks: list[str]
    err: str


def run(folder: Path, text: str, *words: str, watched: tuple[str, ...] = (), by: str = "torchrun") -> Ended:
    """Runs a program in two processes, plainly or by tdbg."""
    (folder / "train.py").write_text(text)
    (port,) = free_ports(1)
    launcher = {
        "torchrun": [str(Path(sys.executable).with_name("torchrun"))],
        "-m": ["-m", "torch.distributed.run"],
        "spawn": [],
    }[by]
    start = launcher + (["--nproc-per-node", "2", "--master-port", str(port)] if launcher else [])
    if watched and by == "torchrun":
        start[0] = "torchrun"
    tdbg = ["-m", "tensordbg", *watched] if watched else []
    done = subprocess.run(
        [sys.executable, *tdbg, *start, "train.py", *words],
        cwd=folder,
        env={**os.environ, "PORT": str(port), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        check=False,
        text=True,
        timeout=400,
    )
    ranks = re.findall(r"rank [01] \[.*?\]", done.stdout)
    return Ended(done.returncode, sorted(ranks), done.stderr)


def line_of(text: str, words: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if words in line)


@pytest.mark.parametrize(
    ("text", "by", "kind"),
    [(DDP, "torchrun", "all-reduce"), (FSDP, "-m", "reduce-scatter"), (SPAWNED, "spawn", "all-reduce")],
    ids=["DDP", "FSDP2", "spawn"],
)
def test_the_first_rank_is_named_and_how_it_reached_the_other(tmp_path: Path, text: str, by: str, kind: str) -> None:
    recorded = run(tmp_path, text, "bad", by=by, watched=("run", "--out", "runs"))
    assert recorded.code == 0
    assert len(recorded.ranks) == 2
    assert len(list((tmp_path / "runs").iterdir())) == 2
    result = tensordbg.open_run(tmp_path / "runs").why()
    first, *others = [origin for origin in result.origins if origin.consequential]
    assert (first.process, first.view.op_type, first.cause) == ("rank 1", "aten::div", "division_by_zero")
    assert first.source is not None
    assert first.source.line == line_of(text, "# HERE")
    assert [(each.process, each.sender, each.kind) for each in first.arrivals] == [("rank 0", "rank 1", kind)]
    assert not others
    assert "of rank 1 produced the first NaN" in recorded.err
    assert "came from rank 1 to rank 0 in step 2" in recorded.err


@pytest.mark.parametrize("by", ["torchrun", "-m"])
def test_the_ranks_lie_in_the_folder_that_is_named(tmp_path: Path, by: str) -> None:
    recorded = run(tmp_path, DDP, "bad", by=by, watched=("run", "--trace", "both"))
    assert recorded.code == 0
    assert len(list((tmp_path / "both").iterdir())) == 2
    assert [each.name for each in tmp_path.iterdir() if each.is_dir()] == ["both"]
    assert [*tensordbg.open_run(tmp_path / "both").processes] == ["rank 0", "rank 1"]
    assert "`tdbg why both` shows this again" in recorded.err
    again = run(tmp_path, DDP, "bad", by=by, watched=("run", "--trace", "both", "--force"))
    assert again.code == 0
    assert len(list((tmp_path / "both").iterdir())) == 2


@pytest.mark.parametrize("text", [DDP, FSDP], ids=["DDP", "FSDP2"])
def test_a_healthy_training_stays_as_it_is(tmp_path: Path, text: str) -> None:
    plain = run(tmp_path, text, "ends")
    recorded = run(tmp_path, text, "ends", watched=("run", "--out", "runs"))
    assert plain.code == 1
    assert (recorded.code, recorded.ranks) == (plain.code, plain.ranks)
    assert "exitcode  : 7" in recorded.err
    result = tensordbg.open_run(tmp_path / "runs").why()
    assert not result.origins
    assert not result.warnings
    assert "rank 0, rank 1" in recorded.err


def test_what_comes_from_others_is_measured_when_it_has_come(tmp_path: Path) -> None:
    recorded = run(tmp_path, BY_HAND, watched=("run", "--out", "runs"))
    assert recorded.code == 0, recorded.err
    both = tensordbg.open_run(tmp_path / "runs")
    for rank in range(2):
        rows = list_tensors(both.processes[f"rank {rank}"]._reader, Selection(), Order(limit=0)).rows
        found = {(row.op_type, row.health.min, row.health.max) for row in rows if row.health is not None}
        assert ("c10d::allreduce_", 3.0, 3.0) in found
        assert ("c10d::_allgather_base_", 1.0, 2.0) in found
        assert ("c10d::_reduce_scatter_base_", *((1.0, 3.0) if rank == 0 else (5.0, 7.0))) in found
        assert ("c10d::allreduce_", 1.0, 1.0) in found
    origins = {origin.view.op_type: origin for origin in both.why().origins}
    sent, piece = origins["aten::log"], origins["aten::sqrt"]
    assert (sent.process, [(each.process, each.kind) for each in sent.arrivals]) == ("rank 1", [("rank 0", "message")])
    assert (piece.process, [(each.process, each.kind) for each in piece.arrivals]) == (
        "rank 0",
        [("rank 1", "broadcast")],
    )
    assert {"aten::log", "aten::sqrt"} == set(origins)


def test_a_check_ends_the_training_in_the_rank_that_is_bad(tmp_path: Path) -> None:
    ended = run(tmp_path, DDP, "bad", watched=("run", "--check"))
    assert ended.code == 1
    assert 'in output 0 of eagerly-executing op "aten::div"' in ended.err
    assert "[rank1]: tensordbg.torch.BadNumberError" in ended.err


def test_a_trap_keeps_all_ranks_alike(tmp_path: Path) -> None:
    ended = run(tmp_path, DDP, "bad", watched=("trap", "--on-bad", "skip"))
    assert ended.code == 0
    first, second = (each.partition("[")[2] for each in ended.ranks)
    assert first == second
    assert "nan" not in first
    assert len(list((tmp_path / "captures").iterdir())) == 2
