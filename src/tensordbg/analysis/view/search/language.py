"""The language of the page's search field: words and `key:value`, all of which must hold.

    op:Log step:3.. nonfinite -function:predict "a b" shape:[100,*] max:>1e3

A `-` before a term negates it, quotes hold blanks together, `*` and `?` make a pattern as in `tdbg ls`. Here a search
is taken apart and checked; `matching.py` finds the events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from tensordbg.analysis.names.listing import split_slot
from tensordbg.analysis.view.search.bounds import Bounds, parse_bounds, parse_whole_bounds
from tensordbg.analysis.view.search.shape_pattern import ShapePattern, parse_shape
from tensordbg.errors import UsageError

TEXT_KEYS = ("op", "name", "function", "file", "device", "dtype", "layer")
WHOLE_KEYS = ("event", "execution", "step", "iteration", "line", "size")
REAL_KEYS = ("min", "max", "mean", "std")
KEYS = (*TEXT_KEYS, *WHOLE_KEYS, "shape", *REAL_KEYS)
FLAGS = ("nonfinite", "nan", "inf", "zero", "negative", "kept")
"""Words with a meaning of their own; in quotes they are words like others."""

_MISSPELLED = 0.8
"""How like a key a word is, from 0 to 1, that was probably meant to be it."""

_TOKEN = re.compile(r'(?:\[[^\]"]*\]|"[^"]*"|"[^"]*$|[^\s"])+')
_KEY = re.compile(r"([A-Za-z_]+):")
_PATTERN = frozenset("*?[")


@dataclass(frozen=True)
class Text:
    """A text that something must be, hold or fit."""

    text: str
    slot: int | None = None
    """Of a tensor's name."""

    @property
    def pattern(self) -> bool:
        """Whether it is a pattern."""
        return not _PATTERN.isdisjoint(self.text)


@dataclass(frozen=True)
class Term:
    """One term of a search."""

    key: str
    """One of `KEYS` or `FLAGS`; "word" for a bare word."""
    value: Text | Bounds | ShapePattern | None
    """None for a flag."""
    negated: bool = False


@dataclass(frozen=True)
class Token:
    """One term as it is written."""

    text: str
    begin: int
    """Where it begins in the search, from 0."""


def tokens(search: str) -> Iterator[Token]:
    """The terms of a search as they are written."""
    for match in _TOKEN.finditer(search):
        yield Token(match[0], match.start())


def parse_search(search: str) -> tuple[Term, ...]:
    """Takes a search apart.

    Raises:
        UsageError: If it is not understood; it says what is wrong and where.
    """
    found = []
    for token in tokens(search):
        try:
            found.append(_term(token.text))
        except UsageError as error:
            raise UsageError(f"{error} (at character {token.begin + 1} of the search)") from None
    return tuple(found)


def _term(written: str) -> Term:
    negated = written.startswith("-") and len(written) > 1
    text = written[negated:]
    if text.count('"') % 2:
        raise UsageError(f"the quote in {written!r} has no end; put another behind the text")
    key = _KEY.match(text)
    if key is None:
        return Term(text, None, negated) if text in FLAGS else Term("word", Text(_unquoted(text)), negated)
    # Keys are written small: `Mean:0` is a tensor.
    name, value = key[1], _unquoted(text[key.end() :])
    if name not in KEYS:
        whole, slot = split_slot(_unquoted(text))
        if slot is not None and name not in FLAGS and not _key_like(name):  # the name of a tensor, `Log:0`
            return Term("name", Text(whole, slot), negated)
        raise UsageError(_unknown_key(name))
    if not value:
        raise UsageError(f"{name!r} has no value; write one behind the colon, such as {_EXAMPLES[name]}")
    return Term(name, _value(name, value), negated)


def _value(key: str, value: str) -> Text | Bounds | ShapePattern:
    if key == "name":
        return Text(*split_slot(value))
    if key in TEXT_KEYS:
        return Text(value)
    if key == "shape":
        return parse_shape(value)
    return (parse_whole_bounds if key in WHOLE_KEYS else parse_bounds)(key, value)


def _unquoted(text: str) -> str:
    return text.replace('"', "")


def _key_like(name: str) -> str | None:
    """The key that a name was probably meant to be."""
    return next(iter(get_close_matches(name, KEYS, n=1, cutoff=_MISSPELLED)), None)


def _unknown_key(name: str) -> str:
    if name.lower() in FLAGS:
        return f"{name.lower()!r} is a word without a value; leave out what follows it"
    near = name.lower() if name.lower() in KEYS else _key_like(name)
    hint = f"did you mean {near!r}?" if near else f"the keys are {', '.join(KEYS)}."
    return f"{name!r} is no key of the search; {hint} Put the text into quotes to search for it as it stands"


_EXAMPLES = {
    "op": "op:Log",
    "name": "name:dense*",
    "function": "function:train_step",
    "file": "file:train.py",
    "device": "device:GPU",
    "dtype": "dtype:float16",
    "layer": "layer:dense",
    "shape": "shape:[100,*]",
    **{key: f"{key}:3..9" for key in WHOLE_KEYS},
    **{key: f"{key}:>1e3" for key in REAL_KEYS},
}
"""For each key a term with it."""
