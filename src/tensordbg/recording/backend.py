"""What a framework's backend must offer, and which there are."""

from __future__ import annotations

import importlib
from typing import Any, Protocol

from tensordbg.recording.failure import FailedOperation
from tensordbg.recording.recorder import Recorder


class Backend(Protocol):
    """Hooks into one framework. It imports the framework only in `install`."""

    name: str
    """Name of the framework's module, `tensorflow`."""

    def install(self, recorder: Recorder) -> None:
        """Sets the hooks; everything computed from now on goes to `recorder`. Calling it again changes nothing."""

    def uninstall(self) -> None:
        """Takes the hooks out again."""

    def failure(self, error: BaseException) -> FailedOperation | None:
        """What is to be said of an error of the framework's that no operation has raised; None of any other error."""

    def own_operations(self) -> list[str]:
        """Types of the operations that the program has brought along, as a library of its own."""

    def versions(self) -> dict[str, str]:
        """Versions of the framework and of what belongs to it, by module name."""


BACKENDS: dict[str, str] = {
    "tensorflow": "tensordbg.backends.tensorflow.recording:TensorFlowRecording",
    "torch": "tensordbg.backends.torch.recording:TorchRecording",
}
"""Where the backend for each framework is found; it is imported only when the framework is."""

CHECKERS: dict[str, str] = {"tensorflow": "tensordbg.backends.tensorflow.check:enable_check_numerics"}
"""What is called to have a framework check all numbers."""


TRAPS: dict[str, str] = {"tensorflow": "tensordbg.backends.tensorflow.trap:start_trap"}
"""What is called with a `TrapPlan` to have a framework test each step before it writes."""

CALL_TRAPS: dict[str, str] = {"tensorflow": "tensordbg.backends.tensorflow.trap_asked:start_call_trap"}
"""What is called with a `TrapPlan` that names a call to have a framework capture that call."""

ASKED_TRAPS: dict[str, str] = {"tensorflow": "tensordbg.backends.tensorflow.trap_asked:start_asked_trap"}
"""What is called with a `TrapPlan` to have a framework capture steps that are asked for."""

REPLAYERS: dict[str, str] = {"tensorflow": "tensordbg.backends.tensorflow.replay:Replayer"}
"""What is called with a `Capture` of a framework; its `run` runs the step."""

SERIES_REPLAYERS: dict[str, str] = {"tensorflow": "tensordbg.backends.tensorflow.replay_series:SeriesReplayer"}
"""What is called with a `Capture` of several steps and a `ReplayPlan`; its `narrow` captures the step alone that left a
variable bad."""

STEP_CALLS: dict[str, str] = {"tensorflow": "tensordbg.backends.tensorflow.replay_call:meet_step_call"}
"""What is called with a `Capture`, a `ProgramReplay` and what runs it to meet the program's call of a captured step."""

EAGER_STOPS: dict[str, str] = {"tensorflow": "tensordbg.backends.tensorflow.eager_stops:run_eagerly_at"}
"""What is called with `Stops` to have a framework run eagerly what comes to a line at which the program stops."""


def named(place: str) -> Any:
    """What stands at `module:name`."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def load_backend(framework: str) -> Backend:
    """Imports and makes the backend of a framework."""
    backend: Backend = named(BACKENDS[framework])()
    return backend
