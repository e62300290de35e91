"""`help` (`h`): the commands, one of them in full, or a topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from tensordbg.console.command_table import COMMANDS, OF_PAGES, command_named
from tensordbg.console.language.findings import KINDS
from tensordbg.console.language.functions import FUNCTIONS
from tensordbg.console.language.statistics import FLAGS, STATISTICS
from tensordbg.console.pages.page import FixedLines, JoinedLines, Line, Lines, Page, Span
from tensordbg.console.pages.texts import table_lines, text_lines
from tensordbg.console.topics import PAGES, TOPICS, Topic
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


_MOVE = "Move about in an answer"
_MOVING = "An answer may be longer than the screen. `COMMAND > FILE` writes all of it to a file; one that exists stays."

_FOOT = (
    "`help TOPIC` tells how the commands of a topic go together, `help COMMAND` all of one, `help filters` of filters; "
    "`COMMAND > FILE` writes an answer to a file."
)


@click.command("help", add_help_option=False)
@click.argument("topic", metavar="[TOPIC|COMMAND]", default="")
@click.pass_obj
def command(console: Console, topic: str) -> Page:
    """List the commands by topic, or tell of a topic or of one command; `help filters` tells of filters."""
    if not topic:
        return _all()
    if topic in TOPICS:
        return _topic(TOPICS[topic])
    if topic == PAGES:
        return Page(
            "Move about in an answer", JoinedLines((text_lines(*_MOVING.splitlines(), ""), *_tables([_moving()])))
        )
    if topic in {"filters", "filter"}:
        words = ", ".join
        known = {"counts": words(FLAGS), "statistics": words(STATISTICS), "of findings": words(KINDS)}
        own = {"your own": words(console.filters.own)} if console.filters.own else {}
        return Page("Filters", JoinedLines((text_lines(*_FILTERS.splitlines(), ""), _pairs(known | own))))
    return Page(f"help {topic}", _one(topic))


def _all() -> Page:
    titles = [(each.title, name) for name, each in TOPICS.items()] + [(_MOVE, PAGES)]
    parts: list[Lines] = []
    for (title, name), table in zip(titles, _tables([*map(_rows, TOPICS.values()), _moving()]), strict=True):
        head: Line = (Span(f"{title}: ", "heading"), Span(f"help {name}", "link", f"help {name}"))
        parts += [FixedLines((head,)), table, text_lines("")]
    return Page("Commands:", JoinedLines((*parts, text_lines(*_folded(_FOOT)))))


def _topic(topic: Topic) -> Page:
    usage = []
    for name in topic.commands:
        found = command_named(name)
        words = found.collect_usage_pieces(click.Context(found, info_name=name))
        usage.append([Span("  "), Span(" ".join([name, *words]))])
    parts = (
        text_lines(*topic.text.splitlines(), ""),
        *_tables([_rows(topic)]),
        text_lines("", "Usage:", style="heading"),
    )
    return Page(topic.title, JoinedLines((*parts, table_lines(("", ""), usage))))


def _rows(topic: Topic) -> list[Sequence[Span]]:
    rows: list[Sequence[Span]] = []
    for name in topic.commands:
        said = command_named(name).get_short_help_str(limit=120)
        rows.append([Span("  "), Span(name, "link", f"help {name}"), Span(", ".join(COMMANDS[name])), Span(said)])
    return rows


def _moving() -> list[Sequence[Span]]:
    return [[Span("  "), Span(name), Span(""), Span(said)] for name, said in OF_PAGES.items()]


def _tables(parts: Sequence[Sequence[Sequence[Span]]]) -> list[FixedLines]:
    """A table for each part, with columns of the same width in all."""
    lines = iter(table_lines(("", "", "", ""), [row for part in parts for row in part]).all_lines)
    return [FixedLines(tuple(next(lines) for _ in part)) for part in parts]


def _one(name: str) -> Lines:
    try:
        found = command_named(name)
    except UsageError:
        near = get_close_matches(name, [*COMMANDS, *TOPICS, PAGES, "filters"], n=1)
        hint = f"did you mean {near[0]!r}?" if near else "`help` lists commands and topics"
        raise UsageError(f"no command or topic {name!r}; {hint}") from None
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
