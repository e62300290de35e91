"""The backend for PyTorch: its roles, and what it can't do yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensordbg.recording.backend import Backend, Unsupported

if TYPE_CHECKING:
    from tensordbg.backends.torch.recording import TorchRecording
    from tensordbg.stopping.stops import Stops


class _Record:
    def prepare(self) -> TorchRecording:
        from tensordbg.backends.torch.recording import TorchRecording

        return TorchRecording()


class _Check:
    def start(self) -> None:
        from tensordbg.backends.torch.check.checking import enable_check_numerics

        enable_check_numerics()


class _Lines:
    def stop_at(self, stops: Stops) -> None:
        """Changes nothing: PyTorch's operations run from Python as they are."""


_NO_CAPTURE = Unsupported(
    "no step of PyTorch can be captured", "record the program with `tdbg run --detail values`, which keeps its tensors"
)

BACKEND = Backend(
    framework="torch",
    title="PyTorch",
    modules=frozenset({"torch", "torchvision", "lightning", "pytorch_lightning", "timm"}),
    record=_Record(),
    check=_Check(),
    trap=Unsupported(
        "its observer looks on, and holds no step back",
        "record the program with `tdbg run --last 100000`, which keeps what went before the trouble",
    ),
    replay=_NO_CAPTURE,
    step_calls=_NO_CAPTURE,
    debug=Unsupported(
        "its observer looks on, and stops no run",
        "stop it at a line with `tdbg run --pdb FILE:LINE`, or record it with `tdbg run` and open `tdbg console`",
    ),
    lines=_Lines(),
)
