"""The first page, and that of each stop: where the program stands, what is wrong, and what can be done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from tensordbg.console.pages.page import FixedLines, JoinedLines, Line, Lines, Page, Place, Span
from tensordbg.console.running import Stop, StopKind
from tensordbg.errors import TensordbgError
from tensordbg.report.numbers import amount

if TYPE_CHECKING:
    from tensordbg.analysis.finding import ProgramFailure
    from tensordbg.console.looked_at import LookedAt

_RULE = "=" * 38


def opening_page(console: LookedAt) -> Page:
    """Where the program stands; of a trace without one, what it holds."""
    if console.runner is None:
        return _of_trace(console)
    stop = console.runner.stop
    if stop.kind is StopKind.ERROR:
        return _of_error(console, stop)
    if stop.at is not None:
        return _at_operation(stop)
    if stop.kind is StopKind.BEFORE:
        return _before(console, stop)
    return _after(console, stop)


def _of_trace(console: LookedAt) -> Page:
    from tensordbg.console.run_texts import MANY, run_table, trace_lines

    opened = console.opened
    parts: list[Lines] = [FixedLines((_menu("list_tensors", "lt -f non_finite", "why", "run_info", "help"), ()))]
    event = None
    # The findings of many events take a while.
    if opened.event_count <= MANY:
        with suppress(TensordbgError):
            found = console.preview("why")
            event = found.event
            parts += [found.body, FixedLines(((),))]
    parts.append(FixedLines((*trace_lines(console), ())))
    if opened.event_count <= MANY:  # of more it takes a while to read the runs
        parts += run_table(opened, console.runs)
    title = f"{opened.reader.path.name}: {amount(opened.event_count, 'tensor')}"
    return Page(title, JoinedLines(tuple(parts)), command="run_info", event=event)


def _what_ended_it(console: LookedAt) -> Iterator[Lines]:
    """The error that ended the program, as `why` tells it."""
    from tensordbg.console.pages.rich_lines import lines_of
    from tensordbg.report.findings.failure_text import failure_text

    for failure in _failures(console):
        for part in failure_text(failure):
            yield lines_of(part)
        yield FixedLines(((),))


def _failures(console: LookedAt) -> tuple[ProgramFailure, ...]:
    from tensordbg.console.language.findings import findings_of

    return findings_of(console.opened).result.failures


def _before(console: LookedAt, stop: Stop) -> Page:
    from tensordbg.console.run_texts import stop_lines, stop_title

    names = ", ".join((*console.filters.own, "non_finite", "has_inf_or_nan"))
    lines: list[Line] = [
        (Span(_RULE, "dim"),),
        (Span(f"Call #{stop.run}: "), Span(stop.call, "bold")),
        (),
        *stop_lines(stop),
        (Span(_RULE, "dim"),),
        (),
        (Span("Select one of the following commands to proceed ---->"),),
        *_choices("run", "run -n", "run -t <T>", "run -f <filter_name>", "step", "continue", "help"),
        (Span(f"    Filter(s) for -f:  {names}, or a condition such as 'Log* : min < 0'"),),
    ]
    return Page(stop_title(stop), FixedLines(tuple(lines)), command="run_info", place=stop.place)


def _at_operation(stop: Stop) -> Page:
    """The line, with what goes into it or came out of it."""
    from tensordbg.console.run_texts import stop_lines, stop_title

    lines: list[Line] = [
        *stop_lines(stop),
        (),
        (Span("Select one of the following commands to proceed ---->"),),
        *_choices("step", "continue", "run", "lt", "help"),
    ]
    return Page(stop_title(stop), FixedLines(tuple(lines)), command="run_info", place=stop.place)


def _after(console: LookedAt, stop: Stop) -> Page:
    """What the run computed; only what passes the filter, where one stopped the program."""
    from tensordbg.console.pages.texts import word
    from tensordbg.console.run_texts import stop_lines, stop_title

    line = f"list_tensors -f {word(stop.filter)}" if stop.filter else "list_tensors"
    head: list[Line] = [(Span(stop_title(stop), "bad" if stop.filter else "title"),), *stop_lines(stop)]
    page = None
    with suppress(TensordbgError):
        page = console.preview(line)
    if page is None:
        return Page(stop_title(stop), FixedLines(tuple(head[1:])), command="run_info", place=stop.place)
    # The headings of the list stay in sight.
    shown = FixedLines((*head, (Span(page.title),)))
    return replace(
        page,
        title=stop_title(stop),
        body=JoinedLines((FixedLines(shown.all_lines[1:]), page.body)),
        head=0 if len(shown) > 4 else len(shown) - 1 + page.head,
        mood="bad" if stop.filter else "",
        place=stop.place,
    )


def _of_error(console: LookedAt, stop: Stop) -> Page:
    from tensordbg.console.pages.texts import word
    from tensordbg.console.run_texts import stop_lines, stop_title

    told = list(_what_ended_it(console))
    failed = next(iter(_failures(console)), None)
    operation = stop.operation or (failed.op_name if failed is not None else "")
    lines: list[Line] = [(Span("You may use the following commands to debug:"),)]
    parts: list[Lines] = []
    if operation:
        name = word(operation)
        lines += _choices(f"ni -a -d -t {name}", f"li -r {name}")
        if not told:
            with suppress(TensordbgError):
                parts.append(FixedLines((*console.preview(f"ni {name}").body.part(0, 40),)))
    lines += [*_choices("lt", "why"), ()]
    if operation:
        lines.append((Span("Op name:    "), Span(operation, "link", f"ni {word(operation)}")))
    kind, _, details = stop.exception.partition(": ")
    lines += [(Span("Error type: "), Span(kind, "bad")), (), (Span("Details:"),)]
    lines += [(Span(f"  {line}"),) for line in details.splitlines()]
    lines += [(), *stop_lines(replace(stop, reason=""))]
    head = FixedLines(((Span("!!! An error occurred during the run !!!", "bad"),), ()))
    source = None if failed is None else failed.source
    return Page(
        stop_title(stop),
        JoinedLines((head, *told, FixedLines(tuple(lines)), *parts)),
        command="run_info",
        mood="bad",
        place=stop.place if source is None else Place(source.file, source.line),
    )


def _menu(*commands: str) -> Line:
    """Commands in one line, each to be chosen."""
    spans = [Span("|", "dim")]
    for each in commands:
        spans += [Span(" "), Span(each, "link", each), Span(" "), Span("|", "dim")]
    return tuple(spans)


def _choices(*commands: str) -> Iterator[Line]:
    for each in commands:
        yield (Span("  "), Span(each, "link", each.partition(" <")[0] if "<" not in each else ""))
