"""`print_source` (`ps`): a source file with its operations, and how they fared, under each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

import click
import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.view.records.columns import EventColumns
from tensordbg.analysis.view.records.rows import EventRows
from tensordbg.analysis.view.records.source_margins import CountedSites
from tensordbg.console.names.files import find_file
from tensordbg.console.names.node_lines import health_span
from tensordbg.console.options import run_option
from tensordbg.console.pages.page import FixedLines, Line, Page, Place, Span, Style
from tensordbg.console.pages.texts import word
from tensordbg.model import Site
from tensordbg.operations.kinds import Kind
from tensordbg.report.numbers import amount, count

if TYPE_CHECKING:
    from tensordbg.analysis.view.records.sites import NamedEvents, SiteNames
    from tensordbg.console.console import Console
    from tensordbg.console.names.runs import Scope

_NONE = -1


class NotedSource(CountedSites, EventRows, EventColumns, Protocol):
    """A trace that shows under lines of the source how their operations fared."""


@click.command("print_source", add_help_option=False)
@click.argument("path", metavar="FILE")
@click.option("-t", "--tensors", is_flag=True, help="Show tensors under the lines, not only nodes.")
@click.option(
    "-m", "--max_elements_per_line", "most", type=click.IntRange(min=1), default=10, show_default=True, metavar="N",
    help="So many nodes under a line.",
)  # fmt: skip
@click.option("-b", "--line_begin", "begin", type=click.IntRange(min=1), default=1, metavar="N", help="Begin there.")
@run_option
@click.pass_obj
def command(console: Console, path: str, tensors: bool, most: int, begin: int, run: str) -> Page:
    """Show a source file as it was when the program ran, under each line the operations that it made."""
    opened, scope = console.opened, console.scope(run)
    file = find_file(opened, path)
    lines = opened.program.sources[file].splitlines()
    made: dict[int, list[SiteNames]] = {}
    for names in opened.sites.values():
        if names.source is not None and names.source.file == file:
            made.setdefault(names.source.line, []).append(names)
    events = _telling(opened, scope, [names.site.site for each in made.values() for names in each])
    found: list[Line] = []
    starts: dict[int, int] = {}
    for number, text in enumerate(lines, 1):
        starts[number] = len(found)
        look: Style = "bold" if number in made else ""
        found.append((Span(f"L{number:<5} ", "dim"), Span(text.expandtabs(), look)))
        under = list(_under(opened, made.get(number, ()), events, tensors))
        found += [_indented(spans) for spans in under[:most]]
        if len(under) > most:
            more = f"(... Omitted {len(under) - most} of {len(under)} operation(s) ...) +5"
            found.append(_indented([Span(more, "link", f"ps {word(path)} -b {number} -m {most + 5}")]))
    title = f"{file}: {amount(len(made), 'line')} made {amount(sum(map(len, made.values())), 'node')}"
    body = FixedLines(tuple(found[starts.get(begin, 0) :]))
    return Page(title, body, place=Place(file, min(begin + 3, len(lines)) if begin > 1 else 1))


def _indented(spans: Iterable[Span]) -> Line:
    return (Span("          "), *spans)


def _telling(opened: NamedEvents, scope: Scope, sites: list[int]) -> Ints:
    """For each site the event to show: the first in the scope that is not finite, else the last."""
    table = np.zeros(opened.site_limit, dtype=np.bool_)
    table[sites] = True
    site = opened.columns.whole("site")
    events = scope.narrow(np.flatnonzero(table[site]))
    telling = np.full(opened.site_limit, _NONE, dtype=np.int64)
    telling[site[events]] = events  # the last assignment counts
    bad = events[opened.columns.bad()[events]][::-1]
    telling[site[bad]] = bad
    return telling


def _under(opened: NotedSource, made: Iterable[SiteNames], events: Ints, tensors: bool) -> Iterator[list[Span]]:
    """What stands under a line: bad nodes first, then those with values, and constants last."""
    ordered = sorted(made, key=lambda names: _rank(opened, names.site, int(events[names.site.site])))
    for names in ordered:
        event = int(events[names.site.site])
        name = Span(names.site.name, "link", f"ni {word(names.site.name)}")
        if event == _NONE:
            if not tensors:
                yield [name, Span(f"  {names.site.op_type}", "dim")]
            continue
        row = opened.row(event)
        if tensors:
            name = Span(row.tensor, "link", f"pt {word(row.tensor)} -e {event}")
        times = int(opened.site_counts.events[names.site.site])
        yield [name, Span(f"  {names.site.op_type}  ", "dim"), health_span(row), Span(_times(times), "dim")]


def _rank(opened: EventColumns, site: Site, event: int) -> tuple[bool, bool, bool, int]:
    return not _is_bad(opened, event), operation_of(site).kind is Kind.CONSTANT, event == _NONE, site.site


def _times(number: int) -> str:
    return f"  ×{count(number)}" if number > 1 else ""


def _is_bad(opened: EventColumns, event: int) -> bool:
    return event != _NONE and bool(opened.columns.bad()[event])
