"""The backend for PyTorch: its roles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensordbg.errors import CaptureError
from tensordbg.recording.backend import Backend

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tensordbg.backends.torch.recording import TorchRecording
    from tensordbg.backends.torch.replay.replayer import Replayer
    from tensordbg.backends.torch.trap.asked import AskedTrapping
    from tensordbg.backends.torch.trap.trapping import Trapping
    from tensordbg.capture.reader import Capture
    from tensordbg.recording.backend import StepRun
    from tensordbg.recording.lines import LineWatch
    from tensordbg.recording.recorder import Recorder
    from tensordbg.replaying.plan import ReplayPlan
    from tensordbg.replaying.program import ProgramReplay
    from tensordbg.stopping.stops import Stops
    from tensordbg.trapping.plan import TrapPlan


class _Record:
    def prepare(self) -> TorchRecording:
        from tensordbg.backends.torch.recording import TorchRecording

        return TorchRecording()


class _Check:
    def start(self) -> None:
        from tensordbg.backends.torch.check.checking import enable_check_numerics
        from tensordbg.backends.torch.processes import watch_processes

        watch_processes()
        enable_check_numerics()


class _Trap:
    def start(self, plan: TrapPlan) -> Trapping:
        from tensordbg.backends.torch.processes import watch_processes
        from tensordbg.backends.torch.trap.trapping import start_trap

        watch_processes()
        return start_trap(plan)

    def start_asked(self, plan: TrapPlan) -> AskedTrapping:
        from tensordbg.backends.torch.trap.asked import AskedTrapping

        return AskedTrapping(plan)


class _Replay:
    def replayer(self, capture: Capture, plan: ReplayPlan) -> Replayer:
        from tensordbg.backends.torch.replay.replayer import Replayer

        return Replayer(capture, plan)

    def narrow(self, capture: Capture, plan: ReplayPlan) -> Path:  # noqa: ARG002  see Replay
        raise CaptureError(f"{capture.path} is of several steps, which captures of PyTorch never are; take another")


class _StepCalls:
    def meet(self, capture: Capture, plan: ProgramReplay, run: StepRun) -> None:
        from tensordbg.backends.torch.replay.program_step import meet_step

        meet_step(capture, plan, run)


class _Debug:
    def stop_at_lines(self, recorder: Recorder, lines: LineWatch) -> Callable[[], None]:  # noqa: ARG002  see Debug
        """Changes nothing: there are no graphs, and the recording tells of what runs."""
        return _nothing

    def operation_of(self, error: BaseException) -> str:
        from tensordbg.backends.torch.recording import operation_of

        return operation_of(error)


def _nothing() -> None:
    """Ends what has not begun."""


class _Lines:
    def stop_at(self, stops: Stops) -> None:
        """Changes nothing: PyTorch's operations run from Python as they are."""


BACKEND = Backend(
    framework="torch",
    title="PyTorch",
    modules=frozenset({"torch", "torchvision", "lightning", "pytorch_lightning", "timm"}),
    record=_Record(),
    check=_Check(),
    trap=_Trap(),
    replay=_Replay(),
    step_calls=_StepCalls(),
    debug=_Debug(),
    lines=_Lines(),
)
