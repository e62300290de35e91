"""Which runs and processes there are and how they fare, for the page."""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.analysis.view.growth import Growth
from tensordbg.analysis.view.overview import ProcessState, RunOverview


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


def overview_view(found: RunOverview, name: str, editor: str) -> Overview:
    """A run as a whole, with its name in links and the template of links to the editor."""
    metadata = found.metadata
    return Overview(
        run=name,
        path=found.path,
        program=metadata.program,
        command=metadata.command,
        host=metadata.host,
        python=metadata.python,
        frameworks=found.frameworks,
        detail=metadata.detail.value,
        created_ns=metadata.created_ns,
        processes=tuple(map(_process, found.processes)),
        notes=found.notes,
        editor=editor,
    )


def _process(state: ProcessState) -> ProcessView:
    return ProcessView(
        process=state.name,
        pid=state.pid,
        tensor_events=state.tensor_events,
        executions=state.executions,
        running=state.running,
        ended=state.ended,
    )
