"""Completions at the cursor: commands and their options, tensors, nodes, files, functions, filters, settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from tensordbg.console.command_table import COMMANDS, command_named, option_names
from tensordbg.console.looked_at import LookedAt
from tensordbg.console.names.run_parts import parts_of_run
from tensordbg.console.pages.tensor_order import KEYS
from tensordbg.console.pages.texts import word
from tensordbg.console.settings import NAMES
from tensordbg.console.topics import PAGES, TOPICS
from tensordbg.errors import TensordbgError, UsageError

MOST = 200


@dataclass(frozen=True)
class Completion:
    """The words that may stand at the cursor."""

    begin: int
    """Where the word begins that a candidate takes the place of."""
    candidates: tuple[str, ...] = field(default=())
    """Words in full, the likeliest first."""


Source = Callable[[LookedAt], Iterable[str]]


def complete(console: LookedAt, line: str, cursor: int) -> Completion:
    """The words that may stand at the cursor; none where that is not known."""
    before = line[: max(0, min(cursor, len(line)))]
    if before.startswith(("/", "@")):
        return Completion(len(before))
    tick = before.rfind("`")
    words = before.split()
    if words and words[0] in ("eval", "ev") and before.count("`") % 2:
        return _fitting(tick + 1, before[tick + 1 :], _safely(console, _tensors), closing="`")
    begin = _begin_of_word(before)
    written = before[begin:].lstrip("\"'")
    if not before[:begin].strip():
        return _fitting(begin, written, [*COMMANDS, "prev", "next", *(s for each in COMMANDS.values() for s in each)])
    return _fitting(begin, written, _of_command(console, words, before[:begin], written))


def _of_command(console: LookedAt, words: list[str], before: str, written: str) -> Iterable[str]:
    """The words that may follow in a command."""
    with suppress(UsageError):
        command = command_named(words[0])
        if written.startswith("-"):
            return option_names(command)
        option = before.rsplit(maxsplit=1)[-1]
        source = _AFTER_OPTION.get((str(command.name), option)) or _AFTER_OPTION.get(("", option))
        source = source or _ARGUMENTS.get(str(command.name))
        if source is not None:
            return [word(each) for each in _safely(console, source)]
    return ()


def _begin_of_word(before: str) -> int:
    """Where the word that the cursor stands in begins; a quote that is open holds blanks."""
    for quote in "\"'":
        place = before.rfind(quote)
        if before.count(quote) % 2 and place != -1 and (place == 0 or before[place - 1].isspace()):
            return place
    return len(before) - len(before.rsplit(" ", maxsplit=1)[-1])


def _fitting(begin: int, written: str, known: Iterable[str], closing: str = "") -> Completion:
    """Those that begin so, then those that hold it, each once."""
    folded = written.casefold()
    given = list(dict.fromkeys(known))
    plain = [each.strip("\"'").casefold() for each in given]
    begins = [each for each, text in zip(given, plain, strict=True) if text.startswith(folded)]
    holds = [each for each, text in zip(given, plain, strict=True) if folded in text and not text.startswith(folded)]
    found = [*begins, *(holds if len(written) > 1 else ())]
    return Completion(begin, tuple(f"{each}{closing}" for each in found[:MOST]))


def _safely(console: LookedAt, source: Source) -> Iterable[str]:
    """What a trace has; nothing where it can't be read."""
    try:
        return list(source(console))
    except TensordbgError:
        return ()


def _tensors(console: LookedAt) -> Iterable[str]:
    opened = console.opened
    events = console.scope().events
    site, slot = opened.columns.whole("site"), opened.columns.whole("slot")
    if events is not None:
        site, slot = site[events], slot[events]
    most = int(slot.max(initial=0)) + 1
    pairs = np.unique(site.astype(np.int64) * most + slot).tolist()
    tensors = [f"{opened.site(pair // most).site.name}:{pair % most}" for pair in pairs]
    return [*tensors, *(variable.name for variable in opened.program.variables.values())]


def _nodes(console: LookedAt) -> Iterable[str]:
    return [names.site.name for names in console.opened.sites.values()]


def _files(console: LookedAt) -> Iterable[str]:
    opened = console.opened
    own = {frame.file for frames in opened.program.stacks.values() for frame in frames if frame.user}
    return [*own, *opened.program.sources]


def _functions(console: LookedAt) -> Iterable[str]:
    return console.opened.program.python_names.values()


def _feeds(console: LookedAt) -> Iterable[str]:
    return [name for name, _ in parts_of_run(console.opened, console.runs, None).feeds]


def _op_types(console: LookedAt) -> Iterable[str]:
    return [names.site.op_type for names in console.opened.sites.values()]


def _layers(console: LookedAt) -> Iterable[str]:
    return [names.layer for names in console.opened.sites.values() if names.layer]


_ARGUMENTS: Mapping[str, Source] = {
    "print_tensor": _tensors,
    "history": _tensors,
    "diff": _tensors,
    "node_info": _nodes,
    "list_inputs": _nodes,
    "list_outputs": _nodes,
    "graph": lambda console: [*_functions(console), *_nodes(console)],
    "print_source": _files,
    "until": _files,
    "break": _files,
    "print_feed": _feeds,
    "config": lambda _: ("show", "set", *NAMES),
    "help": lambda _: (*COMMANDS, *TOPICS, PAGES, "filters"),
}
_AFTER_OPTION: Mapping[tuple[str, str], Source] = {
    ("list_tensors", "-f"): lambda console: console.filters.names,
    ("run", "-f"): lambda console: console.filters.names,
    ("break", "-f"): lambda console: console.filters.names,
    ("break", "-o"): _nodes,
    ("break", "-u"): _functions,
    ("break", "-l"): _layers,
    ("list_tensors", "-s"): lambda _: KEYS,
    ("list_tensors", "-n"): _nodes,
    ("list_tensors", "-t"): _op_types,
    ("", "--function"): _functions,
}
"""By a command, or "" for all, and an option."""
