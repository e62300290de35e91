"""The backend of a framework: one object with a role for each thing that can be done with a program.

A role is a Protocol, or `Unsupported` where the backend lacks it: that value says why, and what to do instead. What a
user reads of it, the error and the table in the manual, is made in `support.py`.

A backend is imported without its framework, which a role imports only when it is used.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tensordbg.model import StatedTensor
from tensordbg.recording.failure import FailedOperation
from tensordbg.recording.recorder import Recorder

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path
    from types import FrameType

    from tensordbg.capture.outcome import Reading
    from tensordbg.capture.reader import Capture
    from tensordbg.capture.tensors import Array
    from tensordbg.recording.lines import LineWatch
    from tensordbg.replaying.plan import ReplayPlan
    from tensordbg.replaying.program import ProgramReplay
    from tensordbg.stopping.stops import Stops
    from tensordbg.trapping.plan import TrapPlan


@dataclass(frozen=True)
class Unsupported:
    """The value of a role that a backend lacks."""

    reason: str
    """A sentence without a full stop: why it can't be done."""
    instead: str
    """What the user can do: an order, such as `record it with ...`."""


class FrameworkRecording(Protocol):
    """The recording of one framework, from `install` to `uninstall`."""

    def install(self, recorder: Recorder) -> None:
        """Sets the hooks; everything computed from now on goes to `recorder`. Calling it again changes nothing."""

    def uninstall(self) -> None:
        """Takes the hooks out again."""

    def failure(self, error: BaseException) -> FailedOperation | None:
        """The sentence on an error of the framework's that no operation has raised; None of any other error."""

    def data_behind(self, error: BaseException, /) -> tuple[StatedTensor, ...]:
        """Where each part of what an input pipeline gave came from, as the frames that an error passed tell it."""

    def own_operations(self) -> list[str]:
        """Types of the operations that the program has brought along, as a library of its own."""

    def versions(self) -> dict[str, str]:
        """Versions of the framework and of what belongs to it, by module name."""


class Record(Protocol):
    """Records what a program computes."""

    def prepare(self) -> FrameworkRecording:
        """Makes a recording that is not installed yet."""


class Check(Protocol):
    """Ends a program at the first number that is not finite."""

    def start(self) -> None:
        """Checks all numbers from now on."""


class FrameworkTrap(Protocol):
    """The trap of one framework, which is set already."""

    captures: list[Path]
    """Those that were made."""

    def stop(self) -> None:
        """Tests nothing from now on."""

    def step(self, batch: Any, frame: FrameType) -> AbstractContextManager[None]:
        """See `Trap.step`; `frame` is where the step begins."""

    def tell_end(self) -> None:
        """Says, when the program has ended, what there is to be said then."""

    def carry(self, error: BaseException) -> None:
        """Has an error that came through the framework's runtime carry the `TrapFound` that it comes from, if any."""

    def tell_others(self, message: str) -> None:
        """Ends the other processes of the training with a message, which would else wait for this one."""


class AskedTrap(Protocol):
    """A trap that captures a step when it is asked to."""

    def ask(self, function: str = "") -> None:
        """Has the next step captured that computes gradients; or the next call of a function of this name."""


class Trap(Protocol):
    """Tests each training step before it writes anything, and captures one that is bad."""

    def start(self, plan: TrapPlan) -> FrameworkTrap:
        """Sets a trap for bad steps, or for the call that the plan names; one that is set already is taken away."""

    def start_asked(self, plan: TrapPlan) -> AskedTrap:
        """Sets a trap for the steps that it is asked for."""


class StepReplayer(Protocol):
    """One captured step, ready to run."""

    @property
    def arguments(self) -> Mapping[str, Array]:
        """The arguments of the step, by name; without variables."""

    @property
    def fixed(self) -> AbstractSet[str]:
        """Names of those whose first dimension the function takes in one size only."""

    @property
    def random(self) -> tuple[str, ...]:
        """Operations that draw random numbers from a state that is not captured, by name."""

    @property
    def uncompiled(self) -> bool:
        """Whether it runs operations one by one that ran in compiled code."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the replay."""

    def run(self, given: Mapping[str, Array]) -> tuple[Reading, ...]:
        """Runs the step from the state before it, and returns what the tensors are that the trap had tested."""

    def ruined(self) -> tuple[str, ...]:
        """Names of the variables that the last run left with something that is not finite."""

    def moved(self) -> float | None:
        """How far the last run moved all variables that are trained: a Euclidean norm, None where not finite."""


class Replay(Protocol):
    """Runs captured steps again, without their program."""

    def replayer(self, capture: Capture, plan: ReplayPlan) -> StepReplayer:
        """Makes a captured step ready to run."""

    def narrow(self, capture: Capture, plan: ReplayPlan) -> Path:
        """Runs the steps of a capture of several, and captures alone the one that left a variable bad."""


class StepRun(Protocol):
    """The fate of a captured step to which its program has come: under a debugger, or a recording."""

    def __call__(self, call: Callable[[], object], /) -> None:
        """Runs a step that is one call."""

    def span(self, frame: FrameType, /) -> AbstractContextManager[None]:
        """The block around a step that is a part of what the program runs; `frame` is where it begins."""

    def tell(self, readings: tuple[Reading, ...], /) -> None:
        """Takes what the tensors are in it that the trap had tested."""


class StepCalls(Protocol):
    """Runs captured steps again, by their own program."""

    def meet(self, capture: Capture, plan: ProgramReplay, run: StepRun) -> None:
        """Has the program's first step that is as the captured one given to `run`; the program ends then."""


class Debug(Protocol):
    """Stops a recorded program before and behind its runs, and at lines of its graphs."""

    def stop_at_lines(self, recorder: Recorder, lines: LineWatch) -> Callable[[], None]:
        """Has graphs stop at the lines that are watched; what is returned ends that."""

    def operation_of(self, error: BaseException) -> str:
        """The name of the operation that raised, empty where the exception does not tell."""


class Lines(Protocol):
    """Stops a program in Python's debugger at a line, with tensors in hand."""

    def stop_at(self, stops: Stops) -> None:
        """Has run from Python, operation by operation, what comes to a line at which the program stops."""


@dataclass(frozen=True)
class Backend:
    """All that tensordbg can do with programs of one framework."""

    framework: str
    """Name of the framework's module, `tensorflow`."""
    title: str
    """How people call it, `TensorFlow`."""
    modules: frozenset[str]
    """Top-level modules by which a program says that it uses the framework."""
    record: Record | Unsupported
    check: Check | Unsupported
    trap: Trap | Unsupported
    replay: Replay | Unsupported
    step_calls: StepCalls | Unsupported
    debug: Debug | Unsupported
    lines: Lines | Unsupported


_PLACES: dict[str, str] = {
    "tensorflow": "tensordbg.backends.tensorflow.backend",
    "torch": "tensordbg.backends.torch.backend",
}
"""The module whose `BACKEND` is the one for a framework; it stands above this one, so it is imported by name."""

FRAMEWORKS = tuple(_PLACES)
"""The names of the frameworks' modules."""


def backend_of(framework: str) -> Backend:
    """The backend of a framework, which is not imported yet.

    Raises:
        KeyError: If there is none.
    """
    backend: Backend = importlib.import_module(_PLACES[framework]).BACKEND
    return backend


def backends() -> tuple[Backend, ...]:
    """All that there are."""
    return tuple(backend_of(framework) for framework in FRAMEWORKS)
