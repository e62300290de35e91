"""`help` (`h`): the commands, one of them in full, or a topic."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from tensordbg.console.command_table import COMMANDS, OF_PAGES, command_named
from tensordbg.console.language.findings import KINDS
from tensordbg.console.language.functions import FUNCTIONS
from tensordbg.console.language.statistics import FLAGS, STATISTICS
from tensordbg.console.pages.page import JoinedLines, Lines, Page, Span
from tensordbg.console.pages.texts import table_lines, text_lines
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.console.console import Console

_FILTERS = """\
A filter says which tensors are wanted: in `lt -f`, `run -f` and `break -f`.

  non_finite                                has an infinity or a NaN; has_inf_or_nan means the same
  Log* : min < 0                            a name or pattern of nodes, and a condition
  loss : nan                                a count alone: there is one at least
  gradient/* : std > 10 and not Relu* : zero == size
  max > 1e4 or abs_max > 10 * std           without a name: all tensors
  dead_units                                what `why` warns of, or an alert; `origin`: where trouble began

A name is that of a node, or of its end after a `/`; with a slot (`Log:0`) it means that output. `gradient/` stands for
the scopes in which TensorFlow computes gradients. A condition without a name takes the one before it in its brackets.
min, max, mean, std, sum are over the finite elements."""


_FOOT = "`help COMMAND` tells all of one, `help filters` of filters; `COMMAND > FILE` writes an answer to a file."


@click.command("help", add_help_option=False)
@click.argument("topic", metavar="[COMMAND]", default="")
@click.pass_obj
def command(console: Console, topic: str) -> Page:
    """List the commands, or tell of one; `help filters` tells of filters."""
    if not topic:
        return _all()
    if topic in {"filters", "filter"}:
        words = ", ".join
        known = {"counts": words(FLAGS), "statistics": words(STATISTICS), "of findings": words(KINDS)}
        own = {"your own": words(console.filters.own)} if console.filters.own else {}
        return Page("Filters", JoinedLines((text_lines(*_FILTERS.splitlines(), ""), _pairs(known | own))))
    return Page(f"help {topic}", _one(topic))


def _all() -> Page:
    spans = []
    for name, shorts in COMMANDS.items():
        said = command_named(name).get_short_help_str(limit=120)
        spans.append([Span("  "), Span(name, "link", f"help {name}"), Span(", ".join(shorts)), Span(said)])
    moving = [[Span("  "), Span(name), Span(""), Span(said)] for name, said in OF_PAGES.items()]
    table = table_lines(("", "command", "short", "what it does"), [*spans, *moving])
    return Page("Commands:", JoinedLines((table, text_lines("", _FOOT))))


def _one(name: str) -> Lines:
    try:
        found = command_named(name)
    except UsageError:
        near = get_close_matches(name, [*COMMANDS, "filters"], n=1)
        hint = f"did you mean {near[0]!r}?" if near else "`help` lists the commands"
        raise UsageError(f"no command {name!r}; {hint}") from None
    context = click.Context(found, info_name=found.name, max_content_width=100, terminal_width=100)
    shorts = COMMANDS[str(found.name)]
    text = [found.get_help(context).rstrip(), *([f"\nShort: {', '.join(shorts)}"] if shorts else [])]
    if found.name == "eval":
        text.append("\nFunctions: " + ", ".join(sorted(FUNCTIONS)))
    return text_lines(*(line for part in text for piece in part.splitlines() for line in _folded(piece)))


def _folded(line: str, width: int = 100) -> list[str]:
    """A line in several, if it is long."""
    pieces, rest = [], line
    while len(rest) > width:
        place = rest.rfind(" ", 0, width)
        if place <= 0:
            break
        pieces.append(rest[:place])
        rest = rest[place + 1 :]
    return [*pieces, rest]


def _pairs(known: Mapping[str, str]) -> Lines:
    rows = []
    for name, text in known.items():
        first, *more = _folded(text, 90)
        rows.append([Span("  "), Span(name, "bold"), Span(first)])
        rows += [[Span("  "), Span(""), Span(each)] for each in more]
    return table_lines(("", "", ""), rows)
