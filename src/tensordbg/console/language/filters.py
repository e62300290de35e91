"""Filters of tensors: named ones, conditions such as `Log* : min < 0`, and functions of the user.

    non_finite                      has_inf_or_nan, the old name, means the same
    Log* : min < 0                  a pattern of the tensor's name, and a condition on its statistics
    loss : nan
    gradient/* : std > 10 and not (Relu* : zero == size)
    dead_units                      what the warnings and alerts of `why` name

`conditions.py` reads them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tensordbg.analysis.columns.reading import Ints
from tensordbg.console.language.conditions import Flagged, Test, parse_condition, unknown_filter
from tensordbg.console.language.findings import KINDS, FindingTest
from tensordbg.console.language.predicates import OwnTest, Predicate, read_predicates
from tensordbg.console.language.statistics import FLAGS
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.console.language.conditions import FilteredTrace

_OLD_NAME = "has_inf_or_nan"


class Filter(Protocol):
    """Which tensors of a trace are wanted."""

    @property
    def text(self) -> str:
        """The filter as it was typed."""

    def passing(self, opened: FilteredTrace, events: Ints) -> Ints:
        """Those of some events, given by number, that pass, in the same order."""


@dataclass(frozen=True)
class ConditionFilter:
    """A filter that is a condition."""

    text: str
    test: Test

    def passing(self, opened: FilteredTrace, events: Ints) -> Ints:
        """See `Filter`."""
        found: Ints = events[self.test.holds(opened, events)]
        return found


@dataclass(frozen=True)
class Filters:
    """The filters that have a name; `parse` knows these and conditions."""

    own: dict[str, Predicate] = field(default_factory=dict)
    """Functions of the user, by name."""

    @property
    def names(self) -> tuple[str, ...]:
        """All names, those of the user first."""
        return (*self.own, "non_finite", _OLD_NAME, *(flag for flag in FLAGS if flag != "non_finite"), *KINDS)

    def add(self, name: str, predicate: Predicate) -> None:
        """Names a filter of the user; one of the same name is replaced.

        Raises:
            UsageError: If the name can't be one of a filter.
        """
        taken = {"and", "or", "not", *FLAGS, _OLD_NAME, *KINDS}
        if not name.isidentifier() or name in taken:
            raise UsageError(f"a filter can't be named {name!r}; choose a word of letters, digits and _ of its own")
        self.own[name] = predicate

    def add_file(self, path: Path) -> Iterable[str]:
        """Runs a Python file; each public function in it that takes two arguments becomes a filter.

        Returns:
            Their names.

        Raises:
            UsageError: If there is no such file, it raises, or has no such function.
        """
        found = read_predicates(path)
        for name, predicate in found.items():
            self.add(name, predicate)
        return tuple(found)

    def parse(self, text: str) -> Filter:
        """Reads a filter.

        Raises:
            UsageError: If it is not understood; names the nearest filter where there is one.
        """
        word = text.strip()
        if word.isidentifier() and self._named(word) is None and word not in FLAGS:
            raise UsageError(unknown_filter(word, self.names))
        return ConditionFilter(word, parse_condition(word, self._named))

    def _named(self, name: str) -> Test | None:
        if name in self.own:
            return OwnTest(name, self.own[name])
        if name == _OLD_NAME:
            return Flagged("non_finite", None)
        return FindingTest(name) if name in KINDS else None
