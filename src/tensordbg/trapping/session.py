"""Setting a trap from inside a program: `tensordbg.trap`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, TypedDict

from tensordbg.errors import RecordingError
from tensordbg.recording.backend import Backend, FrameworkTrap, Unsupported, backends
from tensordbg.recording.imports import ImportWatch
from tensordbg.recording.saying import say
from tensordbg.recording.support import TRAP
from tensordbg.trapping.plan import TrapPlan, on_bad_of
from tensordbg.trapping.rules import StepReading, StepRules

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Trap:
    """A trap that is set, until `stop` or the end of a `with` block. Make one with `tensordbg.trap`."""

    def __init__(self, plan: TrapPlan) -> None:
        """Sets it, also for frameworks that are imported later.

        Raises:
            RecordingError: If no capture can be written in the plan's folder.
        """
        make_folder(plan)
        self._set: list[FrameworkTrap] = []
        self._watch = ImportWatch({each.framework: partial(self._start, each, plan) for each in backends()})
        self._watch.start()

    @property
    def captures(self) -> list[Path]:
        """The captures that were made, the newest last."""
        return [path for each in self._set for path in each.captures]

    def stop(self) -> None:
        """Takes it away."""
        self._watch.stop()
        for each in self._set:
            each.stop()

    def step(self, batch: Any = ()) -> AbstractContextManager[None]:
        """Marks a step, for a program that updates its variables by hand.

            with trap.step((x, y)):
                ...

        What the block writes is tested at its end too, and if anything is bad, all that it wrote is put back.

        Args:
            batch: The tensors that the step is given, in any structure; a capture keeps them in this order.
        """
        return self._step(batch, sys._getframe(1))  # noqa: SLF001

    @contextmanager
    def _step(self, batch: Any, frame: FrameType) -> Iterator[None]:
        with ExitStack() as stack:
            for each in self._set:
                stack.enter_context(each.step(batch, frame))
            yield

    def __enter__(self) -> Trap:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _start(self, backend: Backend, plan: TrapPlan) -> None:
        if not isinstance(backend.trap, Unsupported):
            self._set.append(backend.trap.start(plan))
        elif not self._set:
            # Beside a framework whose steps are trapped it is mostly a library's affair.
            say(f"warning: {TRAP.refusal(backend, backend.trap)}")


class TrapOptions(TypedDict, total=False):
    """Further options of `trap`."""

    most: int
    """Make at most so many captures, 10 by default."""
    size: int
    """Bytes that the tensors of one capture may take, 4 GiB by default."""
    keep: int
    """Look at the variables from time to time, and keep what the steps since then were given, up to so many bytes; 0,
    the default, for not."""
    loss_jump: float
    """Also call a step bad whose loss lies so many deviations above the median of the last ones; see `StepRules`."""
    loss_window: int
    """So many losses are looked back at, 100 by default."""
    gradient_norm: float
    """Also call a step bad whose gradients together have a larger Euclidean norm."""
    predicate: Callable[[StepReading], bool]
    """Also call a step bad of which this says so; it is asked in every step, before anything is written."""


def trap(folder: str | Path = "captures", on_bad: str = "stop", **options: Unpack[TrapOptions]) -> Trap:
    """Tests each training step from now on before it writes anything, and captures one that is bad.

    Set it before the training's functions are called for the first time. One that is set already is taken away.

    Args:
        folder: Where captures go.
        on_bad: `stop` to have a bad step fail with an exception, `skip` to leave it out, `record` to let it be.
        **options: See `TrapOptions`.

    Returns:
        The trap; `stop` takes it away, and so does the end of a `with` block.

    Raises:
        UsageError: If `on_bad` is no such word, `most` is less than 1, or a rule makes no sense.
        RecordingError: If no capture can be written in the folder.
    """
    unknown = options.keys() - TrapOptions.__annotations__.keys()
    if unknown:
        raise TypeError(f"trap() got an unexpected keyword argument {min(unknown)!r}")
    given: dict[str, Any] = dict(options)
    limits = {name: given.pop(name) for name in ("most", "size", "keep") if name in given}
    return Trap(TrapPlan(Path(folder).absolute(), on_bad_of(on_bad), **limits, rules=StepRules(**given)))


def make_folder(plan: TrapPlan) -> None:
    """Makes the folder of captures, so that a place that is no good is known before anything goes wrong.

    Raises:
        RecordingError: If it can't be made.
    """
    try:
        plan.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecordingError(
            f"{plan.folder}: no captures can be kept here ({error.strerror}); give another folder"
        ) from None
