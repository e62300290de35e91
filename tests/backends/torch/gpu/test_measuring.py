from __future__ import annotations

from typing import Any

import pytest

from tensordbg.backends.torch.gpu import measuring as gpus
from tensordbg.backends.torch.gpu.kernels import GpuKernelError
from tensordbg.backends.torch.gpu.measuring import Gpus

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)


class Observer:
    """Stands for the compiled one, which needs a GPU to say yes."""

    def __init__(self, *, works: bool = True) -> None:
        self.given: list[Any] = []
        self.works = works

    def measure_on_gpu(self, kernels: tuple[bytes, ...], kind: str) -> bool:
        self.given.append((kernels, kind))
        return self.works


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What PyTorch will call when CUDA is initialized: its own list."""
    calls: list[Any] = []
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "_queued_calls", calls)
    monkeypatch.setattr(gpus, "images", lambda: [b"kernels"])
    return calls


def test_a_pytorch_without_cuda_is_asked_nothing() -> None:
    before = len(torch.cuda._queued_calls)
    Gpus().install(Observer(), print)
    assert len(torch.cuda._queued_calls) == before


def test_kernels_are_handed_over_when_the_program_first_uses_a_gpu(queued: list[Any]) -> None:
    measured, observer = Gpus(), Observer()
    measured.install(Observer(), print)
    measured.install(observer, print)
    assert len(queued) == 1, "many recordings ask once"
    assert observer.given == []
    queued[0][0]()
    assert observer.given == [((b"kernels",), "cuda")]


def test_nobody_is_asked_when_nobody_records_any_more(queued: list[Any]) -> None:
    measured, observer = Gpus(), Observer()
    measured.install(observer, print)
    measured.uninstall()
    queued[0][0]()
    assert observer.given == []


def test_why_nothing_is_measured_is_said_and_the_program_goes_on(
    queued: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    measured = Gpus()
    measured.install(Observer(works=False), said.append)

    def fail(error: Exception) -> Any:
        raise error

    queued[0][0]()
    monkeypatch.setattr(gpus, "images", lambda: fail(GpuKernelError("there is no NVRTC")))
    queued[0][0]()
    monkeypatch.setattr(gpus, "images", lambda: fail(RuntimeError("anything")))
    queued[0][0]()
    assert said == [
        "tensors on a GPU are seen without their health: CUDA's driver, libcuda.so.1, is not to be found",
        "tensors on a GPU are seen without their health: there is no NVRTC",
        "tensors on a GPU are seen without their health: RuntimeError: anything",
    ]
