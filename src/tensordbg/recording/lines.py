"""Lines of a program at which operations are about to run, or have run, as a debugger is told of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any, Protocol

from tensordbg.model import Frame
from tensordbg.recording.runs import DebuggedCall


@dataclass(frozen=True)
class EagerOperation:
    """An operation, or the call of a function, that Python is about to run."""

    name: str
    """Its type, or the name of the function."""
    inputs: Callable[[], list[Any]]
    """What it is given, as the framework has it."""
    caller: FrameType
    """The code that runs it."""
    elements: Callable[[Any], Any]
    """What a tensor or a variable of the framework holds, as an array; None of anything else."""
    is_run: bool = False
    """Whether `RunWatch` is told of it next."""


@dataclass(frozen=True)
class GraphLine:
    """The operations that a line of the program made in a function, about to run there or just run."""

    operation: str
    """The name of the first of them, or of the last where they have run."""
    function: str
    """The name of the Python function."""
    frames: tuple[Frame, ...]
    """Where they were made, outermost first."""
    tensors: Mapping[str, Any]
    """What goes into them, or comes out of them, by name."""
    names: Mapping[str, Any]
    """What the conditions of breakpoints ask for and is at hand, by its Python name."""
    run: tuple[object, ...]
    """What tells one time that they run from another."""
    is_behind: bool
    """Whether they have run."""
    iteration: int | None = None
    """Of the loop that they are in."""
    has_before: bool = True
    """Whether the program can be stopped before them."""
    begins_iteration: bool = False
    """Whether an iteration of the loop at this line begins with them, a `for` of Python."""
    path: str = ""
    """The calls and branches in which they are, from the function that Python called."""
    moment: tuple[int, ...] = ()
    """Tells the iterations of all loops, and the steps, from one another."""


class LineWatch(Protocol):
    """Told of operations before they run, where it asks for that. What it raises reaches the program."""

    on_change: Callable[[], None]
    """Set by the backend: called, between runs, when other lines are of interest than before."""

    @property
    def wants_operations(self) -> bool:
        """Whether it wants to be told of eager operations now."""

    @property
    def wants_lines(self) -> bool:
        """Whether any line is of interest."""

    @property
    def version(self) -> int:
        """Grows with each change of the lines of interest."""

    def before_operation(self, operation: EagerOperation) -> None:
        """An eager operation, or a function's call, is about to run."""

    def raised(self) -> None:
        """An operation has raised, maybe since `reached` had it fail."""

    def began(self, run: DebuggedCall, execution: int) -> None:
        """A run has begun, of which `RunWatch` was told; `execution` is its number in the trace, or `NONE`."""

    def depth(self, frames: tuple[Frame, ...]) -> int | None:
        """Which frame of a stack stands at a line of interest; None where none does."""

    def names(self, frame: Frame) -> frozenset[str]:
        """The Python names that are of interest at such a line."""

    def name_assigned_at(self, frame: Frame) -> str:
        """The Python name that the statement at a line gives to its value, empty where it gives none."""

    def gives_names_by_iteration(self, frame: Frame) -> bool:
        """Whether a line is that of a loop which gives another value to its names in each iteration."""

    def reached(self, line: GraphLine) -> str | None:
        """A line is reached in a function, in any thread; returns why the operation is to fail, None if it is not."""
