"""Conditions on tensors, joined by `and`, `or`, `not` and brackets.

    Log* : min < 0
    gradient/* : std > 10 and not (Relu* : zero == size)
    loss : nan

What stands before a `:` is the name of a node, of the end of one after a `/`, or a pattern; with a slot (`Log:0`) it
means that output. A condition without a name takes the one before it, and where there is none all tensors. `gradient/`
at its begin stands for the scopes in which TensorFlow computes gradients.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints, TraceSource
from tensordbg.analysis.view.event.value_window import KeptElements
from tensordbg.analysis.view.findings.listing import NotedFindings
from tensordbg.console.language.bounded_evaluation import Bounds, evaluate_bounded
from tensordbg.console.language.elementwise import is_elementwise
from tensordbg.console.language.evaluation import evaluate
from tensordbg.console.language.node_patterns import NodePattern, parse_pattern
from tensordbg.console.language.statistics import FLAGS, STATISTICS, Measured
from tensordbg.errors import UsageError

_TOKEN = re.compile(r"\s*(-?[\d.]+[eE][+-]?\d+(?=[\s()<>=!]|$)|==|!=|<=|>=|[<>()+]|[^\s()<>=!+]+)")
_COLON = re.compile(r"(.+):(?!\d+$)(.*)")
_JOINING = frozenset({"and", "or", "not"})
_NUMPY = frozenset({"np", "numpy"})
"""What may stand before the name of a function, as in `np.abs(min)`."""
_ARITHMETIC = re.compile(r"==|!=|<=|>=|[<>]|\+|[-*/%]{1,2}")


BOUNDS = Bounds()
"""Of a condition that does more than compare numbers."""


class FilteredTrace(NotedFindings, KeptElements, TraceSource, Protocol):
    """A trace whose tensors are filtered."""


class Test(Protocol):
    """A condition, or several of them joined."""

    def holds(self, opened: FilteredTrace, events: Ints) -> Bools:
        """For which of some events it holds."""


NamedTest = Callable[[str], "Test | None"]
"""The test that a name stands for, None where it stands for none."""


@dataclass(frozen=True)
class Compared:
    """A comparison of statistics, such as `zero > 0.5 * size`; where one of them is not known, it does not hold."""

    text: str
    pattern: NodePattern | None

    def holds(self, opened: FilteredTrace, events: Ints) -> Bools:
        """See `Test`."""
        fits = _named(self.pattern, opened, events)
        chosen = events[fits]
        measured = Measured(opened, chosen)
        if is_elementwise(self.text):
            answer = evaluate(self.text, measured.get)
        else:
            answer = evaluate_bounded(self.text, measured.get, BOUNDS)
        found = np.asarray(answer, dtype=np.bool_)
        if found.shape not in {(), chosen.shape}:
            raise UsageError(
                f"{self.text!r} has {found.size:,} answers for {len(chosen):,} tensors; "
                "a condition says of each whether it holds"
            )
        fits[fits] = found
        return fits


@dataclass(frozen=True)
class Flagged:
    """That a count is not zero, such as `nan`; or a filter with a name, where `test` is given."""

    flag: str
    pattern: NodePattern | None
    test: Test | None = None

    def holds(self, opened: FilteredTrace, events: Ints) -> Bools:
        """See `Test`."""
        fits = _named(self.pattern, opened, events)
        chosen = events[fits]
        if self.test is not None:
            fits[fits] = self.test.holds(opened, chosen)
        else:
            fits[fits] = Measured(opened, chosen).get(self.flag) > 0
        return fits


@dataclass(frozen=True)
class Joined:
    """Several tests of which all must hold, or one at least."""

    every: bool
    tests: tuple[Test, ...]

    def holds(self, opened: FilteredTrace, events: Ints) -> Bools:
        """See `Test`."""
        found = np.full(len(events), self.every, dtype=np.bool_)
        for test in self.tests:
            # What is decided is not looked at again.
            open_places = np.flatnonzero(found == self.every)
            found[open_places] = test.holds(opened, events[open_places])
        return found


@dataclass(frozen=True)
class Negated:
    """A test that must not hold, for nodes that are named before it."""

    test: Test
    pattern: NodePattern | None

    def holds(self, opened: FilteredTrace, events: Ints) -> Bools:
        """See `Test`."""
        result: Bools = _named(self.pattern, opened, events) & ~self.test.holds(opened, events)
        return result


def parse_condition(text: str, named: NamedTest) -> Test:
    """Reads a condition.

    Args:
        text: See the head of this module.
        named: The filters that have a name.

    Raises:
        UsageError: If it is not understood.
    """
    if not text.strip():
        raise UsageError("the filter is empty; write one such as non_finite, or 'Log* : min < 0'")
    return _Parser(text, named).parse()


def _named(pattern: NodePattern | None, opened: FilteredTrace, events: Ints) -> Bools:
    if pattern is None:
        return np.ones(len(events), dtype=np.bool_)
    measured = Measured(opened, events)
    fits: Bools = pattern.sites(opened)[measured.site()]
    return fits if pattern.slot is None else fits & (measured.slot() == pattern.slot)


def _tokens(text: str) -> Iterator[str]:
    """Names with their colon apart, numbers, signs and brackets."""
    place = 0
    while place < len(text.rstrip()):
        match = _TOKEN.match(text, place)
        if match is None:
            raise UsageError(f"{text[place:].strip()!r} in the filter {text!r} is not understood; see `help filters`")
        place = match.end()
        word = match[1]
        colon = _COLON.fullmatch(word) if word != ":" else None
        if colon is None:
            yield word
        else:
            yield from (colon[1], ":")
            if colon[2]:
                yield colon[2]


class _Parser:
    """Reads one condition by descent."""

    def __init__(self, text: str, named: NamedTest) -> None:
        self._text = text
        self._named = named
        self._tokens = list(_tokens(text))
        self._place = 0
        self._pattern: NodePattern | None = None

    def parse(self) -> Test:
        found = self._any()
        if self._here:
            raise self._error(f"{self._here!r} is not expected there")
        return found

    @property
    def _here(self) -> str:
        return self._tokens[self._place] if self._place < len(self._tokens) else ""

    def _any(self) -> Test:
        tests = [self._all()]
        while self._here == "or":
            self._place += 1
            tests.append(self._all())
        return tests[0] if len(tests) == 1 else Joined(False, tuple(tests))

    def _all(self) -> Test:
        tests = [self._one()]
        while self._here == "and":
            self._place += 1
            tests.append(self._one())
        return tests[0] if len(tests) == 1 else Joined(True, tuple(tests))

    def _one(self) -> Test:
        if self._here == "not":
            self._place += 1
            around = self._pattern
            return Negated(self._one(), around)
        if self._tokens[self._place + 1 : self._place + 2] == [":"]:
            self._pattern = parse_pattern(self._here)
            self._place += 2
            return self._one()
        if self._here == "(" and not self._is_arithmetic():
            return self._bracket()
        return self._condition()

    def _bracket(self) -> Test:
        self._place += 1
        around = self._pattern
        found = self._any()
        if self._here != ")":
            raise self._error("a bracket is left open")
        self._place += 1
        self._pattern = around
        return found

    def _is_arithmetic(self) -> bool:
        """Whether the bracket that opens here is followed, once closed, by a sign of arithmetic."""
        depth = 0
        for place in range(self._place, len(self._tokens)):
            depth += (self._tokens[place] == "(") - (self._tokens[place] == ")")
            if not depth:
                after = "".join(self._tokens[place + 1 : place + 2])
                return _ARITHMETIC.match(after) is not None
        return False

    def _condition(self) -> Test:
        words, depth = [], 0
        while self._here and self._here not in _JOINING and (self._here != ")" or depth):
            depth += (self._here == "(") - (self._here == ")")
            words.append(self._here)
            self._place += 1
        if not words:
            raise self._error("a condition is missing")
        if len(words) == 1:
            return self._word(words[0])
        return self._comparison(" ".join(words))

    def _word(self, word: str) -> Test:
        test = self._named(word)
        if test is not None or word in FLAGS:
            return Flagged(word, self._pattern, test)
        raise UsageError(unknown_filter(word, FLAGS))

    def _comparison(self, written: str) -> Test:
        try:
            tree = ast.parse(written, mode="eval")
        except SyntaxError:
            raise self._error(f"{written!r} is no condition") from None
        if not isinstance(tree.body, ast.Compare):
            raise self._error(f"{written!r} compares nothing")
        called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        dotted = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Name) or id(node) in called or node.id in STATISTICS:
                continue
            if id(node) not in dotted or node.id not in _NUMPY:
                near = get_close_matches(node.id, list(STATISTICS), n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(sorted(STATISTICS))}"
                raise UsageError(f"no statistic {node.id!r}; {hint}")
        return Compared(written, self._pattern)

    def _error(self, what: str) -> UsageError:
        return UsageError(f"{what} in the filter {self._text!r}; write it as in 'Log* : min < 0 and not max > 1'")


def unknown_filter(word: str, known: tuple[str, ...]) -> str:
    """That there is no such filter, with the nearest one."""
    near = get_close_matches(word, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "`help filters` lists them"
    return f"no filter {word!r}; {hint}"
