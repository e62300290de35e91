"""`list_tensors` (`lt`): the tensors of a run or of the whole trace, filtered and sorted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.view.search.matching import find_events
from tensordbg.console.names.runs import Scope
from tensordbg.console.options import PATTERN, run_option
from tensordbg.console.pages.page import FixedLines, JoinedLines, Page
from tensordbg.console.pages.tensor_order import check_key, sorted_events
from tensordbg.console.pages.tensor_rows import LONG, TensorRows
from tensordbg.console.pages.texts import word
from tensordbg.errors import UsageError
from tensordbg.report.numbers import amount

if TYPE_CHECKING:
    from tensordbg.console.console import Console
    from tensordbg.console.language.conditions import FilteredTrace


@dataclass(frozen=True)
class Wanted:
    """Which tensors are listed, and in which order."""

    filter: str = ""
    exclude: re.Pattern[str] | None = None
    node_name: re.Pattern[str] | None = None
    op_type: re.Pattern[str] | None = None
    search: str = ""
    sort_by: str = "timestamp"
    reverse: bool = False

    @property
    def command(self) -> str:
        """The options of a line that asks for the same, without the order."""
        given = [
            ("-f", self.filter),
            ("-fenn", self.exclude.pattern if self.exclude else ""),
            ("-n", self.node_name.pattern if self.node_name else ""),
            ("-t", self.op_type.pattern if self.op_type else ""),
        ]
        return " ".join(["lt", *(f"{name} {word(value)}" for name, value in given if value), self.search]).strip()


@click.command("list_tensors", add_help_option=False)
@click.option("-f", "--tensor_filter", "filter", default="", metavar="FILTER", help="Only those that pass a filter.")
@click.option(
    "-fenn", "--filter_exclude_node_names", "exclude", type=PATTERN, help="... but none of nodes with such names."
)
@click.option("-n", "--node_name_filter", "node_name", type=PATTERN, help="Only those of nodes with such names.")
@click.option("-t", "--op_type_filter", "op_type", type=PATTERN, help="Only those of operations of such types.")
@click.option("-s", "--sort_by", default="timestamp", metavar="KEY", help="timestamp, dump_size, op_type, min...")
@click.option("-r", "--reverse", is_flag=True, help="Sort the other way round.")
@run_option
@click.argument("search", nargs=-1)
@click.pass_obj
def command(console: Console, /, run: str, search: tuple[str, ...], **options: Any) -> Page:
    """List tensors: when they were computed, their size, type and name, and their health.

    FILTER is a name such as non_finite, a condition such as 'Log* : min < 0', or several of them joined by and, or,
    not; see `help filters`. SEARCH is as in the browser's page: `op:Log step:3.. nonfinite`.
    """
    wanted = Wanted(search=" ".join(search), **options)
    return tensor_list(console, console.scope(run), wanted)


def tensor_list(console: Console, scope: Scope, wanted: Wanted) -> Page:
    """The page of a list.

    Raises:
        UsageError: If a filter, a search or the order is not understood.
    """
    if wanted.exclude is not None and not wanted.filter:
        raise UsageError("-fenn leaves nodes out of a filter; give the filter with -f too")
    check_key(wanted.sort_by)
    opened = console.opened
    events = _chosen(console, opened, scope.numbers(opened), wanted)
    ordered = sorted_events(opened, events, wanted.sort_by, wanted.reverse)
    title = f"{amount(len(events), 'tensor')} of {scope.text}"
    if wanted.filter:
        title += f' passing filter "{wanted.filter}"'
    if not len(ordered):
        return Page(f"{title}.", FixedLines(()))
    rows = TensorRows(opened, ordered, steps=len(scope.runs) != 1)
    chosen = f"{wanted.command}{f' -x {scope.chosen}' if scope.chosen else ''}"
    head = FixedLines((rows.head(_toggled(chosen, wanted)),))
    return Page(
        f"{title}:",
        JoinedLines((head, rows)),
        head=1,
        mood="bad" if wanted.filter else "",
        search=(lambda pattern, begin: _line_of(rows, pattern, begin)) if len(rows) > LONG else None,
    )


def _line_of(rows: TensorRows, pattern: re.Pattern[str], begin: int) -> int | None:
    """The line of the page, of which the first is the heading."""
    found = rows.find(pattern, begin - 1)
    return None if found is None else found + 1


def _toggled(command: str, wanted: Wanted) -> str:
    """The command of a heading: a list that is sorted already is turned round."""
    return command if wanted.reverse or wanted.sort_by == "timestamp" else f"{command} -r"


def _chosen(console: Console, opened: FilteredTrace, events: Ints, wanted: Wanted) -> Ints:
    if wanted.search:
        events = np.intersect1d(events, find_events(opened, wanted.search), assume_unique=True)
    names = [(wanted.node_name, False, "name"), (wanted.op_type, False, "op_type"), (wanted.exclude, True, "name")]
    for pattern, negated, field in names:
        if pattern is not None:
            texts = [getattr(opened.site(number).site, field) for number in range(opened.site_limit)]
            fits = np.array([bool(pattern.match(text)) != negated for text in texts], dtype=np.bool_)
            events = events[fits[opened.columns.whole("site")[events]]]
    return console.filters.parse(wanted.filter).passing(opened, events) if wanted.filter else events
