"""Which traces of a folder are the processes of one run.

Two processes belong together if they share a name of a run (see `process.py`) and were alive at the same time, at least
for a moment; and so do all that are joined by such pairs. So several runs of one cluster, one after the other, are told
apart, and a worker that was started again while the others went on belongs to their run.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from tensordbg.errors import TraceError, UsageError
from tensordbg.remote.copies import at_hand
from tensordbg.trace.damage import reading_of
from tensordbg.trace.locate import find_trace, list_traces
from tensordbg.trace.migrations import upgrade_row
from tensordbg.trace.program.facts import End, TraceFacts, collect_facts
from tensordbg.trace.program.lines import read_lines
from tensordbg.trace.program.metadata import TraceMetadata
from tensordbg.trace.program.process import ProcessPlace
from tensordbg.trace.program.running import is_running
from tensordbg.trace.reader import open_trace
from tensordbg.trace.sealed.snapshot import read_metadata

_FOREVER = 2**63


@dataclass(frozen=True)
class RunProcess:
    """One process of a run."""

    name: str
    """`worker 1`, or what else tells it from the others; unique within the run."""
    place: ProcessPlace
    folder: Path
    """Of its trace."""


@dataclass(frozen=True)
class TraceRun:
    """The processes of one run, by task and number."""

    path: Path
    """What was asked for: a trace, or a folder of traces."""
    processes: tuple[RunProcess, ...]

    @property
    def lasting_path(self) -> Path:
        """Leads to this run also when another one is the newest of its folder: the trace, if there is one alone."""
        return self.processes[0].folder if len(self.processes) == 1 else self.path

    def process(self, wanted: str) -> RunProcess:
        """The process that is called so, has this number, or has its trace in a folder of this name.

        Raises:
            UsageError: If there is none, or more than one.
        """
        names = [process for process in self.processes if wanted in (process.name, process.folder.name)]
        found = names or [process for process in self.processes if str(process.place.index) == wanted]
        if len(found) != 1:
            problem = "there is no process" if not found else "there is more than one process"
            raise UsageError(f"{self.path}: {problem} {wanted!r} in this run; choose one of {self.listed}")
        return found[0]

    def only(self) -> RunProcess:
        """The process of a run that has but one.

        Raises:
            UsageError: If it has several.
        """
        if len(self.processes) == 1:
            return self.processes[0]
        raise UsageError(
            f"{self.path}: {len(self.processes)} processes were recorded together; choose one (`--process`, in Python "
            f"`process=`): {self.listed}"
        )

    @property
    def listed(self) -> str:
        """The names of all processes."""
        return ", ".join(process.name for process in self.processes)


def find_run(path: Path | str) -> TraceRun:
    """The run that a trace is, alone, or the run in a folder of traces that the newest of them belongs to.

    Raises:
        TraceError: If there is no trace, or the newest can't be read.
    """
    newest = find_trace(path)
    if newest == at_hand(path):
        return TraceRun(newest, _named([_Life(newest)]))
    return run_with(newest)


def run_with(trace: Path) -> TraceRun:
    """The run that a trace belongs to, of those that lie in the same folder."""
    members = [_Life(trace)]
    others = [_Life(other) for other in list_traces(trace.parent) if other != trace] if members[0].place.runs else []
    return TraceRun(trace.parent, _named(_together(members, others)))


def all_runs(folder: Path | str) -> list[TraceRun]:
    """All runs whose traces lie in a folder; each trace belongs to one.

    Raises:
        TraceError: If there is no such folder.
    """
    lives = [_Life(trace) for trace in list_traces(folder)]
    runs = []
    while lives:
        members = _together([lives[-1]], lives[:-1])
        lives = [life for life in lives if life not in members]
        runs.append(TraceRun(at_hand(folder), _named(members)))
    return runs[::-1]


def _together(members: list[_Life], others: list[_Life]) -> list[_Life]:
    """The members of a run, and whoever else belongs to it."""
    while joining := [life for life in others if any(life.meets(member) for member in members)]:
        members = [*members, *joining]
        others = [life for life in others if life not in joining]
    return members


class _Life:
    """What a trace says of its process's place and time; of the tables nothing is read unless it must be."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.place = ProcessPlace()
        self.metadata: TraceMetadata | None = None
        self._end: End | None = None
        # One that can't be read belongs to no run; a command that is told to read it says what is wrong.
        with contextlib.suppress(TraceError):
            stored = read_metadata(folder)
            facts = _facts(folder, stored.version)
            self.metadata, self._end = stored.metadata, facts.end
            self.place = facts.process or stored.metadata.process

    @property
    def begin(self) -> int:
        """When the recording began, in nanoseconds since 1970."""
        return 0 if self.metadata is None else self.metadata.created_ns

    @cached_property
    def until(self) -> int:
        """When the process ended; of one that was killed when it was last heard of."""
        with contextlib.suppress(TraceError):
            return max(self.begin, self._heard_of())
        return self.begin

    def meets(self, other: _Life) -> bool:
        """Whether both belong to a run of one name and were alive at one time."""
        shared = set(self.place.runs) & set(other.place.runs)
        return bool(shared) and self.begin <= other.until and other.begin <= self.until

    def _heard_of(self) -> int:
        if self._end is not None:
            return self._end.time_ns
        if self.metadata is not None and is_running(self.metadata):
            return _FOREVER
        reader = open_trace(self.folder)
        count = reader.tensor_count
        times = reader.tensors(count - 1, count, ["time_ns"]).column("time_ns").to_pylist() if count else []
        return int(max([self.begin, *times]))


def _facts(folder: Path, version: int) -> TraceFacts:
    path = folder / "facts.jsonl"
    with reading_of(path):
        return collect_facts([upgrade_row(version, "facts", row) for row in read_lines(path).rows])


def _named(lives: list[_Life]) -> tuple[RunProcess, ...]:
    """The processes in order, each with a name of its own."""
    lives = sorted(lives, key=_order)
    names = [_name(life) for life in lives]
    known = Counter(names)
    unlike = [
        f"{name} (process {life.metadata.pid})" if known[name] > 1 and life.metadata else name
        for name, life in zip(names, lives, strict=True)
    ]
    processes = [RunProcess(name, life.place, life.folder) for name, life in zip(unlike, lives, strict=True)]
    return tuple(_unlike(processes))


def _name(life: _Life) -> str:
    return life.place.name or (life.metadata.program if life.metadata else life.folder.name)


def _unlike(processes: list[RunProcess]) -> Iterator[RunProcess]:
    """Numbers those that still share a name, as processes on several machines may."""
    seen: Counter[str] = Counter()
    for process in processes:
        seen[process.name] += 1
        again = seen[process.name]
        yield process if again == 1 else replace(process, name=f"{process.name} #{again}")


def _order(life: _Life) -> tuple[str, int, int, str]:
    """Processes that nobody numbered, such as the one that started the others, come first."""
    index = -1 if life.place.index is None else life.place.index
    return life.place.task, index, life.begin, life.folder.name
