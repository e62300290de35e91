"""A face that is told beforehand how the program goes on, and what is debugged with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tensordbg.console.console import Console
from tensordbg.console.language.filters import Filters
from tensordbg.console.running import Go, GoKind, Stop
from tensordbg.debug.debugger import Debugger
from tensordbg.model import Detail
from tensordbg.recording.plan import Plan
from tensordbg.recording.session import Session
from tensordbg.recording.value_filter import ValueFilter
from tensordbg.trace.program.metadata import AS_TOLD

RUN = Go(GoKind.RUN)
STEP = Go(GoKind.STEP)
CONTINUE = Go(GoKind.CONTINUE)
EXIT = Go(GoKind.EXIT)

Told = Go | Callable[[Console], Go]


@dataclass
class ToldFace:
    """Answers each stop with the next of what it was told; after the last it lets the program go on."""

    told: list[Told]
    stops: list[Stop] = field(default_factory=list)

    def converse(self, console: Console) -> Go:
        """See `Face`."""
        assert console.runner is not None
        self.stops.append(console.runner.stop)
        if not self.told:
            return Go(GoKind.CONTINUE)
        told = self.told.pop(0)
        return told if isinstance(told, Go) else told(console)

    @property
    def seen(self) -> list[tuple[str, int]]:
        """Where the program stood."""
        return [(stop.kind.value, stop.run) for stop in self.stops]


@contextmanager
def debugged(folder: Path, *told: Told, budget: int = 2**28) -> Iterator[tuple[ToldFace, Debugger]]:
    """Debugs what the block computes."""
    plan = Plan(Detail.VALUES, ValueFilter(budget=budget), last=AS_TOLD)
    session = Session(folder, plan, "test")
    face = ToldFace(list(told))
    debugger = Debugger(session, face, Filters())
    session.recorder.watch, session.recorder.lines = debugger, debugger.lines
    session.start()
    try:
        yield face, debugger
    finally:
        session.stop()
