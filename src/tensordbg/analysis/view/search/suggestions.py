"""Words that may stand where the cursor is in the search field: keys, and what the trace has for a key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol

import numpy as np

from tensordbg.analysis.view.records.sites import NamedEvents, SiteNames
from tensordbg.analysis.view.records.source_margins import CountedSites
from tensordbg.analysis.view.search.language import FLAGS, KEYS, tokens

MOST = 20

_OF_SITES: Mapping[str, Callable[[SiteNames], str]] = {
    "op": lambda names: names.site.op_type,
    "name": lambda names: names.site.name,
    "function": lambda names: names.function,
    "file": lambda names: "" if names.source is None else PurePath(names.source.file).name,
    "layer": lambda names: names.layer,
}
_OF_EVENTS = frozenset({"device", "dtype", "shape"})


@dataclass(frozen=True)
class Completion:
    """The words that may stand at the cursor."""

    begin: int
    """Where the word begins that they would replace."""
    words: tuple[str, ...]


class KnownWords(Protocol):
    """A trace that knows the words of each key."""

    def values_of_key(self, key: str) -> list[str]:
        """Lists the values that the trace has for a key of the search."""


class CountedEvents(NamedEvents, CountedSites, Protocol):
    """A trace whose words can be counted."""


def complete(opened: KnownWords, search: str, cursor: int) -> Completion:
    """The words that fit what stands before the cursor, the most frequent first.

    Args:
        opened: The trace.
        search: What is in the search field.
        cursor: How many characters stand before the cursor.
    """
    begin, written = _word_before(search, cursor)
    key, colon, rest = written.partition(":")
    if colon and key in KEYS:
        found = [f"{key}:{_quoted(value)}" for value in _fitting(opened.values_of_key(key), rest.replace('"', ""))]
    else:
        names = [f"{key}:" for key in KEYS]
        found = list(_fitting([*FLAGS, *names], written)) if written else [*FLAGS, *names]
        for each in ("op", "function", "layer", "file", "name") if written else ():
            values = _fitting(opened.values_of_key(each), written.replace('"', ""))
            found += [f"{each}:{_quoted(value)}" for value in values][: MOST // 4]
    return Completion(begin, tuple(dict.fromkeys(found))[:MOST])


def count_values(opened: CountedEvents, key: str) -> list[str]:
    """Lists the values that the trace has for a key, the most frequent first; none for a key of numbers."""
    counts: dict[str, int] = {}
    if key in _OF_SITES:
        events = opened.site_counts.events
        for number in np.flatnonzero(events).tolist():
            value = _OF_SITES[key](opened.site(number))
            counts[value] = counts.get(value, 0) + int(events[number])
    elif key in _OF_EVENTS:
        words = opened.columns.words(key)
        numbers = np.bincount(words.code[words.code >= 0], minlength=len(words.texts)).tolist()
        counts = {_short(text): number for text, number in zip(words.texts, numbers, strict=True) if number}
    counts.pop("", None)
    return sorted(counts, key=lambda value: -counts[value])


def _word_before(search: str, cursor: int) -> tuple[int, str]:
    """Where the term at the cursor begins, after its `-`, and what of it stands before the cursor."""
    cursor = max(0, min(cursor, len(search)))
    for token in tokens(search):
        if token.begin < cursor <= token.begin + len(token.text):
            begin = token.begin + token.text.startswith("-")
            return min(begin, cursor), search[begin:cursor]
    return cursor, ""


def _fitting(values: Iterable[str], written: str) -> list[str]:
    """Those that begin so, then those that hold it."""
    folded = written.casefold()
    holding = [value for value in values if folded in value.casefold()]
    begins = [value for value in holding if value.casefold().startswith(folded)]
    return [*begins, *(value for value in holding if not value.casefold().startswith(folded))][:MOST]


def _quoted(value: str) -> str:
    return f'"{value}"' if " " in value and not value.startswith("[") else value


def _short(text: str) -> str:
    """`GPU:0` of the long name of a device, and a shape without blanks."""
    return text.rpartition("/device:")[2].replace(", ", ",") if text[:1] in "/[" else text
