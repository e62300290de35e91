"""Texts on a trace, on its runs, and on where the program stands, for `run_info` and the first page."""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tensordbg.analysis.view.timeline.lanes import NamedTimings
from tensordbg.console.looked_at import LookedAt
from tensordbg.console.names.runs import Runs
from tensordbg.console.pages.page import Line, Lines, Span
from tensordbg.console.pages.texts import milliseconds, place_span, table_lines, text_lines, word
from tensordbg.console.running import AtHand, Stop, StopKind
from tensordbg.model import Frame
from tensordbg.remote.copies import named
from tensordbg.report.numbers import ABSENT, amount, count

MANY = 2_000_000
"""Of more tensors it takes a while to count those that are not finite."""
RUN_HEAD = f"  {'run':>7}  {'step':>6}  {'ms':>10}  {'tensors':>9}  {'not finite':>10}  calls"
"""The headings of a list of runs."""


def run_table(opened: NamedTimings, runs: Runs) -> list[Lines]:
    """A line for each run, with headings; nothing where there is none."""
    if not len(runs):
        return []
    return [text_lines("Runs:", style="heading"), text_lines(RUN_HEAD, style="heading"), RunRows(opened, runs)]


def stop_title(stop: Stop) -> str:
    """`run-start: run #3: train_step(x, y)`, as the old debugger had it; `op-start: Log in train_step`."""
    if stop.kind is StopKind.END:
        return "The program has ended."
    if stop.at is not None:
        where = f" in {stop.at.function}" if stop.at.function else ""
        turn = "" if stop.at.iteration is None else f", iteration {stop.at.iteration}"
        run = f", run #{stop.run}" if stop.at.in_run else ""
        return f"{'op-start' if stop.kind is StopKind.BEFORE else 'op-end'}: {stop.at.operation}{where}{turn}{run}"
    if stop.kind is StopKind.ERROR and not stop.call:
        what = stop.operation or stop.exception.partition(":")[0]
        return f"error: {what}, after {amount(stop.run, 'run')}"
    words = {StopKind.BEFORE: "run-start", StopKind.AFTER: "run-end", StopKind.ERROR: "run-error"}
    return f"{words[stop.kind]}: run #{stop.run}: {stop.call}"


def stop_lines(stop: Stop) -> Iterator[Line]:
    """Where the program stands, and why."""
    if stop.reason:
        yield (Span(stop.reason, "bad" if stop.filter or stop.exception else "bold"),)
    if stop.place is not None:
        head = "Called at: " if stop.at is None else "Line: "
        yield (Span(head), place_span(Frame(stop.place.file, stop.place.line, "", user=True)))
        text = "" if stop.at is None else linecache.getline(stop.place.file, stop.place.line).strip()
        if text:
            yield (Span(f"    {text}", "dim"),)
    if stop.at is not None and stop.at.at_hand:
        yield (Span("Inputs:" if stop.kind is StopKind.BEFORE else "Outputs:"),)
        yield from at_hand_lines(stop.at.at_hand)
    yield from _names("Fetch(es):", stop.fetches)
    yield from _names("Feed(s):", stop.feeds)


def at_hand_lines(values: Sequence[AtHand]) -> Iterator[Line]:
    """A line for each value."""
    rows = [(Span(f"  {each.name}", "bold"), Span(each.kind, "dim"), Span(each.words)) for each in values]
    lines = table_lines(("", "", ""), rows)
    yield from lines.part(0, len(lines))


def _names(head: str, names: Sequence[str]) -> Iterator[Line]:
    if names:
        yield (Span(head),)
        for name in names:
            yield (Span("  "), Span(name, "link", f"pt {word(name)}" if ":" in name else ""))


def trace_lines(console: LookedAt) -> Iterator[Line]:
    """Tells what was recorded, and how that ended."""
    reader = console.opened.reader
    metadata, facts = reader.metadata, reader.facts
    end = facts.end
    ended = "still runs" if reader.running else "was killed, or its end was not recorded"
    if end is not None:
        how = f"by signal {end.signal}" if end.exit_code is None else f"with exit code {end.exit_code}"
        ended = f"ended {how}"
    elif console.runner is not None:
        ended = "has ended" if console.runner.stop.kind is StopKind.END else "stands still"
    frameworks = ", ".join(f"{name} {version}" for name, version in facts.frameworks.items())
    yield (Span(f"Trace:   {named(str(reader.path))}"),)
    yield (Span(f"Command: {' '.join(metadata.command)}"),)
    yield (Span(f"Program: {ended}; Python {metadata.python}{f', {frameworks}' if frameworks else ''}"),)
    if end is not None and end.exception:
        yield (Span(f"         {end.exception}", "bad"),)
    yield (Span(f"Detail:  {metadata.detail.value}"),)
    for warning in facts.warnings:
        yield (Span(f"Warning: {warning}", "bad"),)
    if console.opened.event_count > MANY:
        link = Span("lt -f non_finite", "link", "lt -f non_finite")
        yield (Span("`"), link, Span("` lists the tensors that are not finite, if any"))
        return
    bad = int(console.opened.columns.bad().sum())
    if bad:
        found = Span(f"{amount(bad, 'tensor')} not finite", "bad", "lt -f non_finite -x all")
        yield (found, Span("; `"), Span("why", "link", "why"), Span("` tells why"))
    else:
        yield (Span("All tensors are finite.", "good"),)


@dataclass(frozen=True)
class RunRows:
    """A line for each run, made as they are looked at."""

    opened: NamedTimings
    runs: Runs

    def __len__(self) -> int:
        return len(self.runs)

    def part(self, begin: int, end: int) -> Sequence[Line]:
        """See `Lines`."""
        pairs = zip(self.runs.numbers[begin:end].tolist(), self.runs.rows[begin:end].tolist(), strict=True)
        return [self._line(number, row) for number, row in pairs]

    def _line(self, number: int, row: int) -> Line:
        opened = self.opened
        function = opened.program.functions.get(int(opened.executions.function[row]))
        name = ABSENT if function is None else opened.program.python_names.get(function.graph, function.name)
        bad = int(opened.bad.count[row])
        timings = opened.timings
        took = milliseconds(int(timings.end_ns[row] - timings.begin_ns[row])) if timings.ended[row] else ABSENT
        failed = " (raised)" if timings.failed[row] else ""
        events = count(int(opened.event_ranges.count[row]))
        return (
            Span(f"  {number:>7}", "link", f"lt -x {number}"),
            Span(f"  {int(opened.executions.step[row]):>6}  {took:>10}  {events:>9}  "),
            Span(f"{count(bad) if bad else '':>10}  ", "bad", f"lt -f non_finite -x {number}" if bad else ""),
            Span(f"{name}{failed}", "bad" if failed else ""),
        )
