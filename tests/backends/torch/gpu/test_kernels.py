"""Compiles the kernels with NVRTC itself, which needs no GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tensordbg.backends.torch.gpu import kernels as gpu_kernels
from tensordbg.backends.torch.gpu.kernels import SOURCE, Capability, Compiler, GpuKernelError, images

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)


@pytest.fixture(scope="module")
def compiler() -> Compiler:
    return Compiler.found()


def test_each_dtype_has_a_kernel(compiler: Compiler) -> None:
    image = compiler.compile(SOURCE.read_bytes(), Capability(9, 0))
    assert image.startswith(b"\x7fELF"), "machine code"
    for dtype in range(1, 18):
        assert f"tensordbg_measure_{dtype}\0".encode() in image
    for dtype in range(10, 14):
        assert f"tensordbg_measure_many_{dtype}\0".encode() in image


def test_what_can_not_be_compiled_is_said_with_the_compilers_words(compiler: Compiler) -> None:
    with pytest.raises(GpuKernelError, match=r"NVRTC \d+\.\d+ can't compile for sm_90: .*undefined"):
        compiler.compile(b"__global__ void f() { undefined = 1; }", Capability(9, 0))
    with pytest.raises(GpuKernelError, match="can't compile for sm_10"):
        compiler.compile(b"", Capability(1, 0))


def test_there_are_no_kernels_without_a_gpu() -> None:
    assert images() == []


def test_without_nvrtc_a_gpu_is_told_to_go_unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> Any:
        raise OSError(name)

    monkeypatch.setattr(gpu_kernels.ctypes, "CDLL", nothing)
    with pytest.raises(GpuKernelError, match=r"NVRTC \(libnvrtc.so\).* is not to be found"):
        Compiler.found()


def test_kernels_are_compiled_once_for_each_kind_of_gpu(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kinds = [(9, 0), (8, 0), (9, 0)]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: len(kinds))
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda number: kinds[number])
    source = tmp_path / "small.cu"
    source.write_text('extern "C" __global__ void tensordbg_measure_1() {}')
    monkeypatch.setattr(gpu_kernels, "SOURCE", source)
    first, second, third = images()
    assert first == third != second
    assert sorted(capsys.readouterr().err.splitlines()) == [
        f"tdbg: compiling what measures tensors on a GPU ({kind}), once: five seconds or more"
        for kind in ("sm_80", "sm_90")
    ]
    assert images() == [first, second, third]
    assert capsys.readouterr().err == "", "they were kept"
