"""The backend for PyTorch: its roles, and what it can't do yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensordbg.errors import UsageError
from tensordbg.recording.backend import Backend, Unsupported

if TYPE_CHECKING:
    from tensordbg.backends.torch.recording import TorchRecording
    from tensordbg.backends.torch.trap.trapping import Trapping
    from tensordbg.recording.backend import AskedTrap
    from tensordbg.stopping.stops import Stops
    from tensordbg.trapping.plan import TrapPlan


class _Record:
    def prepare(self) -> TorchRecording:
        from tensordbg.backends.torch.recording import TorchRecording

        return TorchRecording()


class _Check:
    def start(self) -> None:
        from tensordbg.backends.torch.check.checking import enable_check_numerics

        enable_check_numerics()


class _Trap:
    def start(self, plan: TrapPlan) -> Trapping:
        from tensordbg.backends.torch.trap.trapping import start_trap

        return start_trap(plan)

    def start_asked(self, plan: TrapPlan) -> AskedTrap:  # noqa: ARG002  see Trap
        raise UsageError("a step of PyTorch can't be captured on demand; `tdbg trap` captures bad ones")


class _Lines:
    def stop_at(self, stops: Stops) -> None:
        """Changes nothing: PyTorch's operations run from Python as they are."""


_NO_REPLAY = Unsupported(
    "a captured step of PyTorch is not run again yet",
    "read its tensors with `tdbg capture show` and safetensors, or record the program with `tdbg run`",
)

BACKEND = Backend(
    framework="torch",
    title="PyTorch",
    modules=frozenset({"torch", "torchvision", "lightning", "pytorch_lightning", "timm"}),
    record=_Record(),
    check=_Check(),
    trap=_Trap(),
    replay=_NO_REPLAY,
    step_calls=_NO_REPLAY,
    debug=Unsupported(
        "its observer looks on, and stops no run",
        "stop it at a line with `tdbg run --pdb FILE:LINE`, or record it with `tdbg run` and open `tdbg console`",
    ),
    lines=_Lines(),
)
