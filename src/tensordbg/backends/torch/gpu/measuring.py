"""Has tensors on NVIDIA's GPUs measured where they lie, from the moment at which the program begins to use a GPU.

Not earlier: whoever asks CUDA for its GPUs keeps the processes that are forked later from using them.

Private in PyTorch is `torch.cuda._lazy_call(function)`: it calls a function when CUDA is initialized, in the thread
that does it. It has been there since PyTorch 0.4; `tests/backends/torch/test_gpus.py` fails where that changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensordbg.backends.torch.gpu.kernels import GpuKernelError, images
from tensordbg.recording.saying import say

KIND = "cuda"
"""The kind of device on which tensors are measured, as PyTorch names it."""

_LOST = "tensors on a GPU are seen without their health"


class Gpus:
    """Hands the kernels to whatever looks at operations now."""

    def __init__(self) -> None:
        self._observer: Any = None
        self._lost: Callable[[str], None] = say
        self._waits = False

    def install(self, observer: Any, lost: Callable[[str], None]) -> None:
        """Has this observer measure on GPUs; `lost` is told in one line why it can't."""
        import torch

        self._observer, self._lost = observer, lost
        if torch.version.cuda is None:
            return
        if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
            self._measure()
        elif not self._waits:
            self._waits = True
            torch.cuda._lazy_call(self._measure)  # type: ignore[no-untyped-call]  # noqa: SLF001

    def uninstall(self) -> None:
        """Has nobody measure on a GPU that is used first from now on."""
        self._observer = None

    def _measure(self) -> None:
        """Never lets anything out: the program initializes CUDA meanwhile."""
        observer = self._observer
        if observer is None:
            return
        try:
            kernels = images()
            if kernels and not observer.measure_on_gpu(tuple(kernels), KIND):
                self._lost(f"{_LOST}: CUDA's driver, libcuda.so.1, is not to be found")
        except GpuKernelError as error:
            self._lost(f"{_LOST}: {error}")
        except Exception as error:  # noqa: BLE001  whatever it is, the program goes on
            self._lost(f"{_LOST}: {type(error).__name__}: {error}")


RECORDING = Gpus()
"""Those of the recording of this process."""

CHECKING = Gpus()
"""Those of its check."""
