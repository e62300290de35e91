"""How far a trace had grown when it was opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tensordbg.analysis.view.opened import OpenedTrace

_CATALOGUE = ("sites", "functions", "stacks", "variables")


@dataclass(frozen=True)
class Growth:
    """The extent of a trace."""

    tensor_events: int
    executions: int
    revision: int
    """Larger whenever there is more to see."""
    running: bool


def measure_growth(opened: OpenedTrace) -> Growth:
    """How far a trace has grown."""
    events, executions = opened.event_count, opened.count("executions")
    running = opened.reader.running
    rows = sum(opened.count(name) for name in _CATALOGUE)
    said = len(opened.facts.warnings) + opened.facts.overwritten
    return Growth(events, executions, events + executions + rows + said + int(not running), running)
