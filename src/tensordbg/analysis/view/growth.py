"""How far a trace had grown when it was opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tensordbg.trace.program.facts import TraceFacts
from tensordbg.trace.reader import TraceReader

_CATALOGUE = ("sites", "functions", "stacks", "variables")


@dataclass(frozen=True)
class Growth:
    """The extent of a trace."""

    tensor_events: int
    executions: int
    revision: int
    """Larger whenever there is more to see."""
    running: bool


class GrowingTrace(Protocol):
    """A trace that may grow while it is looked at."""

    reader: TraceReader

    @property
    def event_count(self) -> int:
        """How many tensor events there are."""

    @property
    def facts(self) -> TraceFacts:
        """Facts that became known while the program ran."""

    def count(self, name: str) -> int:
        """How many rows a table has."""


def measure_growth(opened: GrowingTrace) -> Growth:
    """How far a trace has grown."""
    events, executions = opened.event_count, opened.count("executions")
    running = opened.reader.running
    rows = sum(opened.count(name) for name in _CATALOGUE)
    said = len(opened.facts.warnings) + opened.facts.overwritten
    return Growth(events, executions, events + executions + rows + said + int(not running), running)
