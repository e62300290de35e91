"""The backend for TensorFlow: its roles, each of which imports what it needs when it is used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tensordbg.recording.backend import Backend

if TYPE_CHECKING:
    from tensordbg.backends.tensorflow.recording import TensorFlowRecording
    from tensordbg.backends.tensorflow.replay.replayer import Replayer
    from tensordbg.backends.tensorflow.trap.asked import AskedTrapping
    from tensordbg.backends.tensorflow.trap.trapping import Trapping
    from tensordbg.capture.reader import Capture
    from tensordbg.recording.backend import StepRun
    from tensordbg.recording.lines import LineWatch
    from tensordbg.recording.recorder import Recorder
    from tensordbg.replaying.plan import ReplayPlan
    from tensordbg.replaying.program import ProgramReplay
    from tensordbg.stopping.stops import Stops
    from tensordbg.trapping.plan import TrapPlan


class _Record:
    def prepare(self) -> TensorFlowRecording:
        from tensordbg.backends.tensorflow.recording import TensorFlowRecording

        return TensorFlowRecording()


class _Check:
    def start(self) -> None:
        from tensordbg.backends.tensorflow.check.checking import enable_check_numerics

        enable_check_numerics()


class _Trap:
    def start(self, plan: TrapPlan) -> Trapping:
        from tensordbg.backends.tensorflow.trap.asked import start_call_trap
        from tensordbg.backends.tensorflow.trap.trapping import start_trap

        return start_trap(plan) if plan.call is None else start_call_trap(plan)

    def start_asked(self, plan: TrapPlan) -> AskedTrapping:
        from tensordbg.backends.tensorflow.trap.asked import start_asked_trap

        return start_asked_trap(plan)


class _Replay:
    def replayer(self, capture: Capture, plan: ReplayPlan) -> Replayer:
        from tensordbg.backends.tensorflow.replay.replayer import Replayer

        return Replayer(capture, plan)

    def narrow(self, capture: Capture, plan: ReplayPlan) -> Path:
        from tensordbg.backends.tensorflow.replay.series import SeriesReplayer

        return SeriesReplayer(capture, plan).narrow()


class _StepCalls:
    def meet(self, capture: Capture, plan: ProgramReplay, run: StepRun) -> None:
        from tensordbg.backends.tensorflow.replay.call import meet_step_call

        meet_step_call(capture, plan, run)


class _Debug:
    def stop_at_lines(self, recorder: Recorder, lines: LineWatch) -> Callable[[], None]:
        from tensordbg.backends.tensorflow.hooks import hooks
        from tensordbg.backends.tensorflow.stops.line_gates import LineGates
        from tensordbg.backends.tensorflow.stops.sessions import StoppedSessions

        gates, stops = LineGates(recorder, lines, hooks().functions), StoppedSessions(recorder, lines)
        gates.install()
        stops.install()
        # Behind the recording, which tells the debugger of a run first.
        hooks().sessions.add(stops)

        def uninstall() -> None:
            hooks().sessions.remove(stops)
            stops.uninstall()
            gates.uninstall()

        return uninstall

    def operation_of(self, error: BaseException) -> str:
        from tensordbg.backends.tensorflow.raised import operation_of

        return operation_of(error)


class _Lines:
    def stop_at(self, stops: Stops) -> None:
        from tensordbg.backends.tensorflow.stops.eager import run_eagerly_at

        run_eagerly_at(stops)


BACKEND = Backend(
    framework="tensorflow",
    title="TensorFlow",
    modules=frozenset({"tensorflow", "tensorflow_cpu", "keras", "tf_keras", "tf_agents", "tensorflow_probability"}),
    record=_Record(),
    check=_Check(),
    trap=_Trap(),
    replay=_Replay(),
    step_calls=_StepCalls(),
    debug=_Debug(),
    lines=_Lines(),
)
