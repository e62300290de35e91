"""Watches of runs: a debugger that may stand before and behind each run of a program, and stop it there.

A run is one call from Python into the program's numbers: of a traced function, or of a TensorFlow 1 session. Of what
runs eagerly it is a batch of a Keras model, or the gradient of a tape.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import FrameType
from typing import Protocol

from tensordbg.model import NONE, Function
from tensordbg.recording.catalog import Catalog


@dataclass(frozen=True)
class DebuggedCall:
    """One run, about to be made or just made."""

    function: Function
    """What it calls; of a session, what it feeds and fetches; of what runs eagerly only a name."""
    by_session: bool
    caller: FrameType
    """The code of the framework that makes the call, or of the program."""
    owner: object = None
    """The session that makes it."""

    def feeds(self, catalog: Catalog) -> tuple[str, ...]:
        """Its arguments, or what is fed, as tensors of the trace; without captured variables."""
        captured = dict(zip(self.function.arguments, self.function.captures, strict=False))
        given = [site for site in self.function.arguments if captured.get(site, NONE) == NONE]
        return tuple(f"{catalog.site(site).name}:0" for site in given)

    def fetches(self, catalog: Catalog) -> tuple[str, ...]:
        """The tensors of the trace that it returns, or fetches."""
        outputs = self.function.outputs
        return tuple(f"{catalog.site(output.site).name}:{output.slot}" for output in outputs if output.site != NONE)


class RunWatch(Protocol):
    """Told of all runs and, where it asks for that, of all eager operations. What it raises reaches the program."""

    @property
    def each_operation(self) -> bool:
        """Whether it wants to be told of eager operations now."""

    def before(self, run: DebuggedCall) -> bool:
        """A run is about to be made; returns whether it is to be recorded."""

    def after(self, run: DebuggedCall, execution: int, error: BaseException | None) -> None:
        """A run has been made.

        Args:
            run: As given to `before`.
            execution: Its number in the trace, `NONE` where it was not recorded.
            error: What it raised.
        """

    def ran(self, execution: int) -> None:
        """An eager operation has been recorded, within a run or not; asked for of backends whose runs are no calls."""

    def operation(self, site: int, execution: int, caller: FrameType) -> None:
        """An eager operation has been recorded."""
