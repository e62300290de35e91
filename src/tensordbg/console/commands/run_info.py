"""`run_info` (`ri`): what was run, with what; the runs of the trace, and the trace itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
import numpy as np

from tensordbg.console.names.run_parts import RunParts, parts_of_run
from tensordbg.console.names.runs import Runs, Scope
from tensordbg.console.options import run_option
from tensordbg.console.pages.page import FixedLines, JoinedLines, Line, Lines, Page, Span
from tensordbg.console.pages.texts import text_lines, word
from tensordbg.console.run_texts import RUN_HEAD, RunRows, run_table, stop_lines, stop_title, trace_lines
from tensordbg.errors import UsageError
from tensordbg.report.numbers import amount

if TYPE_CHECKING:
    from tensordbg.analysis.view.timeline.lanes import NamedTimings
    from tensordbg.console.console import Console


@click.command("run_info", add_help_option=False)
@run_option
@click.pass_obj
def command(console: Console, run: str) -> Page:
    """Describe a run: what it calls, its feeds and fetches. Without a choice also the trace and all its runs."""
    opened, runs = console.opened, console.runs
    if run:
        scope = console.scope(run)
        if len(scope.runs) == 1:
            parts = parts_of_run(opened, runs, scope.runs[0])
            return Page(f"run #{parts.number}: {parts.name}", FixedLines(tuple(run_lines(parts))))
        return _listed(opened, runs, scope)
    body: list[Lines] = []
    title = f"{opened.reader.path.name}: {amount(len(runs), 'run')}, {amount(opened.event_count, 'tensor')}"
    if console.runner is not None:
        title = stop_title(console.runner.stop)
        body.append(FixedLines((*stop_lines(console.runner.stop), ())))
    body += [FixedLines((*trace_lines(console), ())), *run_table(opened, runs)]
    return Page(title, JoinedLines(tuple(body)))


def run_lines(parts: RunParts) -> Iterator[Line]:
    """The inputs and the outputs of a run."""
    yield (Span(f"Calls: {parts.name}"), Span(f"  {parts.function.signature}" if parts.function else "", "dim"))
    yield (Span("Fetch(es):"),)
    for name in parts.fetches:
        yield (Span("  "), Span(name, "link", f"pt {word(name)} -x {parts.number}"))
    yield (Span("Feed(s):"),)
    for name, event in parts.feeds:
        yield (Span("  "), Span(name, "link" if event is not None else "", f"pf {word(name)} -x {parts.number}"))
    if not parts.feeds:
        yield (Span("  (none)", "dim"),)


def _listed(opened: NamedTimings, runs: Runs, scope: Scope) -> Page:
    chosen = np.flatnonzero(np.isin(runs.numbers, scope.runs)) if scope.runs else np.arange(len(runs))
    if not len(chosen):
        raise UsageError("the trace holds no run; an eager program calls no functions, `lt` lists its tensors")
    rows = RunRows(opened, Runs(runs.numbers[chosen], runs.rows[chosen]))
    return Page(f"{amount(len(rows), 'run')}:", JoinedLines((text_lines(RUN_HEAD, style="heading"), rows)), head=1)
