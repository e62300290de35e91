"""Compiles what measures tensors on NVIDIA's GPUs, for those that are there, with the compiler that PyTorch brings.

NVRTC is a library: neither CUDA's toolkit nor a compiler for the processor is needed. What was compiled is kept in the
user's cache, beside the observer that launches it.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tensordbg.backends.torch.building import cache_folder
from tensordbg.errors import TensordbgError
from tensordbg.recording.saying import say

SOURCE = Path(__file__).parents[1] / "observer" / "gpu_kernel.cu"
ELEMENTS = SOURCE.with_name("gpu_elements.h")
"""What `SOURCE` includes."""


class GpuKernelError(TensordbgError):
    """Nothing can be measured on the GPUs that are there."""


@dataclass(frozen=True)
class Capability:
    """The version of a GPU's instructions, such as 9.0."""

    major: int
    minor: int

    @property
    def architecture(self) -> str:
        """Its name as CUDA's compilers have it."""
        return f"sm_{self.major}{self.minor}"


def images() -> list[bytes]:
    """The kernels for each GPU that PyTorch sees, in its order; none where it sees no GPU of NVIDIA's.

    Raises:
        GpuKernelError: There is one, and NVRTC is not to be found, or can't compile for it.
    """
    import torch

    if torch.version.cuda is None or not torch.cuda.is_available():
        return []
    found = [Capability(*torch.cuda.get_device_capability(number)) for number in range(torch.cuda.device_count())]
    kernels = {each: _kernels(each) for each in set(found)}
    return [kernels[each] for each in found]


def _kernels(capability: Capability) -> bytes:
    compiler = Compiler.found()
    source = SOURCE.read_bytes()
    digest = hashlib.sha256(source + ELEMENTS.read_bytes()).hexdigest()[:16]
    kept = cache_folder() / "gpu" / f"{capability.architecture}-nvrtc{compiler.version}-{digest}.cubin"
    with contextlib.suppress(OSError):
        return kept.read_bytes()
    say(f"compiling what measures tensors on a GPU ({capability.architecture}), once: five seconds or more")
    image = compiler.compile(source, capability)
    with contextlib.suppress(OSError):  # it is compiled again where it can't be kept
        kept.parent.mkdir(parents=True, exist_ok=True)
        half = kept.with_suffix(f".{id(image):x}")
        half.write_bytes(image)
        half.replace(kept)
    return image


class Compiler:
    """NVRTC, through its C interface, which CUDA keeps stable: functions used here are there since CUDA 11.1."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    @classmethod
    def found(cls) -> Compiler:
        """That which PyTorch brings along, or the system's.

        Raises:
            GpuKernelError: There is none.
        """
        for name in [*_beside_torch(), *(f"libnvrtc.so.{major}" for major in (13, 12)), "libnvrtc.so"]:
            with contextlib.suppress(OSError):
                return cls(ctypes.CDLL(name))
        raise GpuKernelError("NVRTC (libnvrtc.so), which comes with PyTorch for CUDA, is not to be found")

    @property
    def version(self) -> str:
        """Its version, such as 12.9."""
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        return f"{major.value}.{minor.value}"

    def compile(self, source: bytes, capability: Capability) -> bytes:
        """Compiles a source to the machine code of a GPU.

        Raises:
            GpuKernelError: It does not know the GPU, or refuses the source.
        """
        library, program = self._library, ctypes.c_void_p()
        self._call("nvrtcCreateProgram", ctypes.byref(program), source, SOURCE.name.encode(), 0, None, None)
        try:
            options = [
                f"--gpu-architecture={capability.architecture}".encode(),
                b"--std=c++17",
                b"--include-path=" + os.fsencode(ELEMENTS.parent),
            ]
            if library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options)) != 0:
                said = self._taken("nvrtcGetProgramLog", program).decode(errors="replace").strip("\0\n")
                raise GpuKernelError(f"NVRTC {self.version} can't compile for {capability.architecture}: {said}")
            return self._taken("nvrtcGetCUBIN", program)
        finally:
            library.nvrtcDestroyProgram(ctypes.byref(program))

    def _taken(self, function: str, program: ctypes.c_void_p) -> bytes:
        size = ctypes.c_size_t()
        self._call(f"{function}Size", program, ctypes.byref(size))
        into = ctypes.create_string_buffer(size.value)
        self._call(function, program, into)
        return into.raw

    def _call(self, function: str, *arguments: Any) -> None:
        code = getattr(self._library, function)(*arguments)
        if code != 0:
            raise GpuKernelError(f"{function} of NVRTC {self.version} failed with code {code}")


def _beside_torch() -> list[str]:
    """The libraries in the packages that PyTorch's wheels need, or in PyTorch itself; the newest first."""
    folders = [Path(each) for each in sys.path if each]
    found = [path for each in folders for path in each.glob("nvidia/*/lib/libnvrtc.so.*")]
    found += [path for each in folders for path in each.glob("torch/lib/libnvrtc*.so*") if "builtins" not in path.name]
    return [str(path) for path in sorted(found, reverse=True)]
