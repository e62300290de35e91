"""A run as a whole: what was recorded, how its processes fared, and what should be known of its traces."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from tensordbg.analysis.columns.reading import TraceSource
from tensordbg.analysis.origins.notes import trace_notes
from tensordbg.analysis.view.growth import Growth
from tensordbg.remote.copies import named
from tensordbg.trace.folders.runs import TraceRun
from tensordbg.trace.program.facts import End
from tensordbg.trace.program.metadata import TraceMetadata
from tensordbg.trace.reader import TraceReader


class SoundTrace(TraceSource, Protocol):
    """A trace that knows how far it had grown, and what of it can't be read."""

    reader: TraceReader

    @property
    def growth(self) -> Growth:
        """How far the trace had grown."""

    @property
    def damage(self) -> int:
        """How many events and lines can't be read."""


@dataclass(frozen=True)
class ProcessState:
    """One process of a run."""

    name: str
    """Empty where there is only one."""
    pid: int
    tensor_events: int
    executions: int
    running: bool
    ended: str
    """In words; empty while it runs."""


@dataclass(frozen=True)
class RunOverview:
    """One run."""

    path: str
    metadata: TraceMetadata
    """Of the first process."""
    frameworks: tuple[str, ...]
    processes: tuple[ProcessState, ...]
    notes: tuple[str, ...]


def read_overview(run: TraceRun, opened: Mapping[str, SoundTrace]) -> RunOverview:
    """Gathers the overview of a run.

    Args:
        run: Its processes.
        opened: Their traces by name.
    """
    traces = [opened[process.name] for process in run.processes]
    several = len(traces) > 1
    names = [process.name if several else "" for process in run.processes]
    frameworks = {f"{name} {version}": None for trace in traces for name, version in trace.facts.frameworks.items()}
    notes: dict[str, None] = {}
    for name, trace in zip(names, traces, strict=True):
        notes.update(dict.fromkeys(f"{name}: {note}" if name else note for note in _notes(trace)))
    return RunOverview(
        path=named(str(run.path)),
        metadata=traces[0].reader.metadata,
        frameworks=tuple(frameworks),
        processes=tuple(_state(name, trace) for name, trace in zip(names, traces, strict=True)),
        notes=tuple(notes),
    )


def _state(name: str, trace: SoundTrace) -> ProcessState:
    growth = trace.growth
    ended = "" if growth.running else ending(trace.facts.end)
    return ProcessState(name, trace.reader.metadata.pid, growth.tensor_events, growth.executions, growth.running, ended)


def ending(end: End | None) -> str:
    """How a program ended, in words; of one that was killed nothing is known."""
    if end is None:
        return "killed, or its machine went down: it could not say how it ended"
    if end.signal is not None:
        return f"killed by {_signal_name(end.signal)}"
    if end.exception:
        return end.exception
    return "ended" if end.exit_code is None else f"exit code {end.exit_code}"


def _signal_name(number: int | str) -> str:
    try:
        return signal.Signals(int(number)).name
    except ValueError:
        return str(number)


def _notes(trace: SoundTrace) -> Iterator[str]:
    """What should be known of a trace."""
    yield from trace_notes(trace)
    damage = trace.damage
    if damage:
        yield f"{damage:,} of its events and lines can't be read"
