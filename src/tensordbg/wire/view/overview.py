"""Which runs and processes there are and how they fare, for the page."""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.analysis.view.growth import Growth


@dataclass(frozen=True)
class RunSummary:
    """One run below the folder that is shown."""

    run: str
    """Its name in links: the path below the folder."""
    program: str
    created_ns: int
    processes: tuple[str, ...]
    """Names; one empty name where there is only one process."""
    running: bool


@dataclass(frozen=True)
class RunList:
    """All runs, the newest first."""

    folder: str
    runs: tuple[RunSummary, ...]


@dataclass(frozen=True)
class ProcessView:
    """One process of a run."""

    process: str
    pid: int
    tensor_events: int
    executions: int
    running: bool
    ended: str
    """How it ended, in words: `exit code 0`, `killed by SIGKILL`, empty while it runs."""


@dataclass(frozen=True)
class Overview:
    """One run as a whole."""

    run: str
    path: str
    program: str
    command: tuple[str, ...]
    host: str
    python: str
    frameworks: tuple[str, ...]
    """`tensorflow 2.21.0`."""
    detail: str
    created_ns: int
    processes: tuple[ProcessView, ...]
    notes: tuple[str, ...]
    """What should be known of the trace: what could not be recorded, damage, warnings."""
    editor: str
    """Template of a link that opens a file in the editor, with {file} and {line}; empty where there is none."""


@dataclass(frozen=True)
class Live:
    """How far a trace has grown."""

    revision: int
    """Larger whenever there is more to see."""
    tensor_events: int
    executions: int
    rate: float
    """Tensor events a second lately, 0 when the program has ended."""
    running: bool


def live_view(growth: Growth, rate: float) -> Live:
    """How far a trace has grown; the rate is in tensor events a second."""
    return Live(growth.revision, growth.tensor_events, growth.executions, rate, growth.running)
