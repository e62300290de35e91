"""Contents of a saved page: the findings, and what surrounds them by the flow of data and in time.

Everything is taken in the order of its distance from the findings, until there is no more room.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tensordbg import __version__
from tensordbg.report.numbers import count
from tensordbg.report.saved_page.process import SavedProcess
from tensordbg.report.saved_page.shelf import ProcessShelf, Room, Stacks, to_json
from tensordbg.wire.view.answers import RunAnswers
from tensordbg.wire.view.events import EventRow
from tensordbg.wire.view.findings import Finding, Findings
from tensordbg.wire.view.overview import Overview, ProcessView, RunList, RunSummary

_FINDINGS_SHARE = 0.3
"""Part of the room that the findings themselves may take."""
_NOTES = 2_000
"""Bytes for what the page says of itself, and for what holds the parts together."""
_PROCESS = 500
"""Bytes for what holds the parts of a process together."""
_STEPS = 4
"""How far along the data from each finding."""
_IN_FULL = 20
"""Of so many findings, the first ones, all rows of the table that are there have their details too."""

_NAMES = {
    "findings": "findings",
    "events": "tensor events",
    "rows": "parts of the table",
    "executions": "executions",
    "tensors": "histories of tensors",
    "histograms": "histograms of tensors",
    "progresss": "measures of the overview",
    "values": "elements of tensors",
    "graphs": "graphs",
    "wholes": "graphs of whole functions",
    "sources": "source files",
    "timeline": "timelines",
}
"""What is left out, in words."""


def saved_content(answers: RunAnswers, size: int) -> bytes:
    """The content of a saved page as JSON, with no `<` in it.

    Args:
        answers: About the run.
        size: Bytes that it may have.

    Raises:
        TraceError: If a trace can't be read.
    """
    findings = answers.findings()
    # The findings must be known before the events are asked for, which then name theirs.
    overview = answers.overview()
    room = Room(size - _frame(answers, overview))
    kept = _fitting(findings, room)
    stacks = Stacks()
    shelves = {each.process: ProcessShelf(room, stacks) for each in overview.processes}
    processes = {name: SavedProcess(answers, name, shelf) for name, shelf in shelves.items()}
    _fill(kept.findings, processes)
    events = sum(shelf.events for shelf in shelves.values())
    content = {
        "runs": _run_list(overview),
        "overview": _saved_overview(overview, [_provenance(overview, findings, events), *_left_out(room)]),
        "findings": kept,
        "lines": stacks.lines,
        "stacks": stacks.stacks,
        "processes": [process.content() for process in processes.values()],
    }
    return to_json(content)


def _frame(answers: RunAnswers, overview: Overview) -> int:
    """Bytes of what is always there, at most."""
    size = _NOTES + len(to_json([overview, _run_list(overview)]))
    for process in overview.processes:
        name = process.process
        size += _PROCESS + len(to_json([answers.live(name), answers.sources(name)]))
    return size


def _fitting(findings: Findings, room: Room) -> Findings:
    """As many of the findings as have room, the first ones."""
    most = room.left * _FINDINGS_SHARE
    kept: list[Finding] = []
    for finding in findings.findings:
        text = to_json(finding)
        if len(text) > most or not room.take(len(text), "findings"):
            break
        most -= len(text)
        kept.append(finding)
    room.omitted["findings"] = len(findings.findings) - len(kept)
    return replace(findings, findings=tuple(kept))


def _fill(findings: Sequence[Finding], processes: Mapping[str, SavedProcess]) -> None:
    """The nearest first: around each finding along the data, then the table around it, then their details."""
    for process in processes.values():
        process.add_timeline()
        process.add_progress()
    placed = [(processes[_process_of(each, processes)], each) for each in findings]
    for process in () if findings else processes.values():
        process.add_beginning()
    stacks = {each: [finding.stack for process, finding in placed if process is each] for each in processes.values()}
    for process in processes.values():
        process.add_sources(stacks[process], user=True)
    near = [(process, finding.event) for process, finding in placed if finding.event is not None]
    reached = near
    for distance in range(_STEPS + 1):
        reached = list(_next_step(reached, distance))
    for process in processes.values():
        process.add_whole()
    tables = [(process, process.add_rows(row)) for process, row in near]
    for process, rows in tables[:_IN_FULL]:
        for row in rows:
            process.add_event(row.event, _STEPS + 1)
    for process in processes.values():
        process.add_sources(stacks[process], user=False)
        process.add_functions()


def _next_step(
    reached: Sequence[tuple[SavedProcess, EventRow]], distance: int
) -> Iterator[tuple[SavedProcess, EventRow]]:
    for process, row in reached:
        for near in process.add_event(row.event, distance):
            yield process, near


def _process_of(finding: Finding, processes: Mapping[str, SavedProcess]) -> str:
    return finding.process if finding.process in processes else next(iter(processes))


def _run_list(overview: Overview) -> RunList:
    names = tuple(each.process for each in overview.processes)
    run = RunSummary(overview.run, overview.program, overview.created_ns, names, running=False)
    return RunList(overview.path, (run,))


def _saved_overview(overview: Overview, notes: Sequence[str]) -> Overview:
    """As it will be when it is looked at elsewhere: nothing runs, and no editor knows the files."""
    processes = tuple(_at_rest(each) for each in overview.processes)
    return replace(overview, processes=processes, notes=(*notes, *overview.notes), editor="")


def _at_rest(process: ProcessView) -> ProcessView:
    return replace(process, running=False, ended="was still running") if process.running else process


def _provenance(overview: Overview, findings: Findings, events: int) -> str:
    now = dt.datetime.now(dt.timezone.utc)
    total = f"{count(findings.tensor_events)} tensor events"
    holds = f"what surrounds the findings, {count(events)} of {total} with their details"
    if not findings.findings:
        holds = f"the overview, the program's source and the first of {total}"
    return f"saved on {now:%Y-%m-%d at %H:%M} UTC by tensordbg {__version__} from {overview.path}; it holds {holds}"


def _left_out(room: Room) -> Iterator[str]:
    parts = [f"{count(number)} {_NAMES[kind]}" for kind, number in room.omitted.items() if number]
    if parts:
        yield f"left out, to keep the page small: {', '.join(parts)}; `tdbg view` shows them"
