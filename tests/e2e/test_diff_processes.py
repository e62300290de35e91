"""`tdbg diff` of a training of several processes, of which one is recorded, and one with the whole batch.

The processes are one here, and its share of the batch are rows of which the whole has each twice: so the gradients are
those of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import tensordbg

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F = torch.nn.functional


@pytest.fixture(scope="module", autouse=True)
def group(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    rendezvous = tmp_path_factory.mktemp("group") / "file"
    torch.distributed.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=0, world_size=1)
    yield
    torch.distributed.destroy_process_group()


def trained(folder: Path, by: str = "", change: str = "") -> Path:
    """Records a training: with the whole batch, or one of several processes that each take a part of it."""
    with tensordbg.record(folder):
        torch.manual_seed(0)
        norm = torch.nn.LayerNorm(16, eps=1e-2 if change == "epsilon" else 1e-5)
        model = torch.nn.Sequential(torch.nn.Linear(12, 16), norm, torch.nn.ReLU(), torch.nn.Linear(16, 5))
        if by == "ddp":
            model = torch.nn.parallel.DistributedDataParallel(model)
        elif by == "fsdp":
            torch.distributed.fsdp.fully_shard(model, mesh=torch.distributed.init_device_mesh("cpu", (1,)))
        optimizer = torch.optim.SGD(model.parameters(), 0.2 if change == "rate" else 0.1, momentum=0.9)
        for _ in range(3):
            x, y = torch.randn(8, 12), torch.randint(0, 5, (8,))
            if not by:
                x, y = torch.cat([x, x]), torch.cat([y, y])
            optimizer.zero_grad()
            F.cross_entropy(model(x), y, reduction="sum" if change == "sum" else "mean").backward()
            optimizer.step()
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("whole") / "a")


@pytest.mark.parametrize("by", ["ddp", "fsdp"])
def test_the_processes_compute_the_same(tmp_path: Path, whole: Path, by: str) -> None:
    result = tensordbg.diff(whole, trained(tmp_path / "b", by))
    assert (result.status, result.first) == ("same", None)


DIFFERENCES = {"epsilon": ("value", "epsilon"), "sum": ("value", "reduction"), "rate": ("update", None)}
"""By what is changed the kind of the difference and the setting."""


@pytest.mark.parametrize("change", DIFFERENCES)
@pytest.mark.parametrize("by", ["ddp", "fsdp"])
def test_what_differs_is_told(tmp_path: Path, whole: Path, by: str, change: str) -> None:
    result = tensordbg.diff(whole, trained(tmp_path / "b", by, change))
    assert result.status == "diverged"
    assert result.first is not None
    kind, setting = DIFFERENCES[change]
    assert result.first.kind == kind, result.first.explanation
    assert not setting or [each.attribute for each in result.first.difference] == [setting]


def test_a_change_of_what_all_processes_compute_is_found_among_them(tmp_path: Path) -> None:
    runs = trained(tmp_path / "a", "ddp"), trained(tmp_path / "b", "ddp", "epsilon")
    result = tensordbg.diff(*runs)
    assert result.first is not None
    assert [each.attribute for each in result.first.difference] == ["epsilon"]
