"""Records a Python function of a test, and gives its events and executions as plain rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import tensordbg
from tensordbg.analysis.tensors.show import history_of
from tensordbg.model import Frame, Function, Site, Variable
from tensordbg.trace.reader import TraceReader, open_trace

MEASURED = ("size", "negative", "zero", "neg_inf", "pos_inf", "nan", "subnormal", "first_bad", "min", "max", "sum")


@dataclass(frozen=True)
class Event:
    """A tensor event with its names resolved."""

    number: int
    execution: int
    step: int
    name: str
    slot: int
    path: str
    frame: int
    iteration: int | None
    device: str
    dtype: str
    shape: str | None
    row: dict[str, Any]


@dataclass(frozen=True)
class Recorded:
    """What a trace holds."""

    reader: TraceReader
    events: list[Event]
    executions: list[Any]
    sites: Mapping[int, Site]
    functions: dict[int, Function]
    variables: dict[int, Variable]

    def of(self, name: str, **wanted: Any) -> list[Event]:
        """The events of the tensors with this name, and with these properties."""
        found = [event for event in self.events if event.name == name]
        return [event for event in found if all(getattr(event, key) == value for key, value in wanted.items())]

    def one(self, name: str, **wanted: Any) -> Event:
        """The only such event."""
        (event,) = self.of(name, **wanted)
        return event

    def measured(self) -> list[str]:
        """What was measured of each tensor, whatever the order in which they were recorded."""
        return sorted(
            str((e.name, e.slot, e.path, e.iteration, e.device, e.dtype, e.shape, *map(e.row.get, MEASURED)))
            for e in self.events
        )

    def site_of(self, event: Event) -> Site:
        """Where it was created."""
        return self.sites[event.row["site"]]

    def user_frames(self, event: Event) -> list[Frame]:
        """The user's own frames of its creation, outermost first."""
        return [frame for frame in self.reader.stacks()[self.site_of(event).stack] if frame.user]


def scalars(reader: TraceReader, name: str, function: str = "") -> list[float]:
    """What `tdbg show` gives for a scalar, by its name: its value in each event."""
    return [point.health.max for point in history_of(reader, name, function).points if point.health is not None]


def shown(folder: Path, program: Callable[[], object]) -> Callable[[str], list[float]]:
    """Records a program, and gives the values of a scalar by its name."""
    return partial(scalars, record(folder, program).reader)


def record(folder: Path, program: Callable[[], object], detail: str = "health", every: int = 1) -> Recorded:
    """Runs and records `program`."""
    with tensordbg.record(folder, detail=detail, every=every) as recording:
        program()
    return read(recording.path)


def read(path: Path) -> Recorded:
    """Reads a trace."""
    reader = open_trace(path)
    sites, paths = reader.sites(), reader.paths()
    events = [
        Event(
            number=row["event"],
            execution=row["execution"],
            step=row["step"],
            name=sites[row["site"]].name,
            slot=row["slot"],
            path=paths[row["path"]],
            frame=row["frame"],
            iteration=row["iteration"],
            device=row["device"],
            dtype=row["dtype"],
            shape=row["shape"],
            row=row,
        )
        for row in reader.table("tensors").to_pylist()
    ]
    executions = reader.table("executions").to_pylist()
    return Recorded(reader, events, executions, sites, dict(reader.functions()), dict(reader.variables()))
