"""Which events fit a search: decided site by site where a term speaks of names, else in the columns of the events."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.columns.reading import Bools, Ints, shape_of
from tensordbg.analysis.names.naming import AllTensors
from tensordbg.analysis.program.python_names import tensors_named
from tensordbg.analysis.view.records.columns import EventColumns
from tensordbg.analysis.view.records.sites import NamedEvents, SiteNames
from tensordbg.analysis.view.records.statistics import STATISTICS
from tensordbg.analysis.view.search.bounds import Bounds
from tensordbg.analysis.view.search.language import Term, Text, parse_search
from tensordbg.analysis.view.search.shape_pattern import ShapePattern
from tensordbg.model import NONE, TensorRef

_NAMES = frozenset({"name", "word"})
_OF_SITES = frozenset({"op", "name", "function", "file", "line", "layer", "word"})


def find_events(opened: NamedEvents, search: str) -> Ints:
    """The numbers of the events that fit a search, ascending.

    Raises:
        UsageError: If the search is not understood.
    """
    terms = parse_search(search)
    bearing = {term: refs for term in terms if (refs := _of_text(opened, term))}
    of_sites = [term for term in terms if term.key in _OF_SITES and _slot(term) is None and term not in bearing]
    fits: Bools = np.ones(opened.event_count, dtype=np.bool_)
    if of_sites:
        fits = _sites_that_fit(opened, of_sites)[opened.columns.whole("site")]
    for term in terms:
        if term in bearing:
            fits &= _bearing(opened, term, bearing[term]) ^ term.negated
        elif term not in of_sites:
            fits &= _fitting(opened, term) ^ term.negated
    found = np.flatnonzero(fits)
    return found.astype(np.int32) if opened.event_count < np.iinfo(np.int32).max else found


def _of_text(opened: NamedEvents, term: Term) -> Collection[TensorRef]:
    """The tensors to which the program's text gives a name that is searched for, recorded or not."""
    value = term.value
    if term.key not in _NAMES or not isinstance(value, Text) or value.pattern or value.slot is not None:
        return ()
    return tensors_named(opened.program, value.text, AllTensors()).keys()


def _bearing(opened: NamedEvents, term: Term, refs: Collection[TensorRef]) -> Bools:
    """The events that fit a term for a name, be it negated or not: by the names of operations, or those of the text."""
    site, slot = opened.columns.whole("site"), opened.columns.whole("slot")
    fits: Bools = _sites_that_fit(opened, [replace(term, negated=False)])[site]
    for number in {ref.slot for ref in refs}:
        fits |= (slot == number) & np.isin(site, [ref.site for ref in refs if ref.slot == number])
    return fits


def _sites_that_fit(opened: NamedEvents, terms: Iterable[Term]) -> Bools:
    """For each site by its number."""
    tests = [(test_of(term), term.negated) for term in terms]
    names = map(opened.site, range(opened.site_limit))
    return np.array([all(test(each) != negated for test, negated in tests) for each in names], dtype=np.bool_)


def _slot(term: Term) -> int | None:
    return term.value.slot if isinstance(term.value, Text) else None


def test_of(term: Term) -> Callable[[SiteNames], bool]:
    """Whether a site fits a term, be it negated or not."""
    value = term.value
    if isinstance(value, Bounds):  # of a line
        return lambda names: names.source is not None and bool(value.hold(np.array([names.source.line]))[0])
    assert isinstance(value, Text)
    text = value.text
    if term.key == "word":
        folded = text.casefold()
        return lambda names: any(
            folded in each.casefold() for each in (names.site.name, names.site.op_type, names.function)
        )
    if term.key == "name":
        contained = containing(value)
        return lambda names: contained(names.site.name)
    same = equal_to(value)
    if term.key == "op":
        return lambda names: same(names.site.op_type)
    if term.key == "function":
        return lambda names: same(names.function) or same(names.given_function)
    if term.key == "layer":
        return lambda names: same(names.layer) or f"/{text}/" in f"/{names.layer}/"
    ending = f"/{text.lstrip('/')}"
    return lambda names: names.source is not None and (same(names.source.file) or names.source.file.endswith(ending))


def equal_to(value: Text) -> Callable[[str], bool]:
    """Whether a text is this one, or fits the pattern."""
    if not value.pattern:
        return lambda given: given == value.text
    compiled = re.compile(fnmatch.translate(value.text))
    return lambda given: compiled.match(given) is not None


def containing(value: Text) -> Callable[[str], bool]:
    """Whether a text holds this one, or fits the pattern."""
    return equal_to(value) if value.pattern else lambda given: value.text in given


def _fitting(opened: NamedEvents, term: Term) -> Bools:
    """The events that fit a term, be it negated or not."""
    columns, value = opened.columns, term.value
    if value is None:
        return _flagged(opened, term.key)
    if isinstance(value, ShapePattern):
        return _worded(opened, "shape", lambda text: value.fits(shape_of(text) or ()))
    if isinstance(value, Text) and value.slot is not None:
        of_site = _sites_that_fit(opened, [replace(term, negated=False)])[columns.whole("site")]
        return np.asarray(of_site & (columns.whole("slot") == value.slot))
    if isinstance(value, Text):
        return _worded(opened, term.key, (containing if term.key == "device" else equal_to)(value))
    if term.key == "event":
        return value.hold(np.arange(opened.event_count))
    if term.key in STATISTICS:
        return value.hold(STATISTICS[term.key](columns))
    numbers: npt.NDArray[Any] = columns.whole(term.key)
    known: Bools = numbers != NONE
    return value.hold(numbers) & known


def _worded(opened: EventColumns, name: str, test: Callable[[str], bool]) -> Bools:
    words = opened.columns.words(name)
    fits: Bools = np.array([*(test(text) for text in words.texts), False])[words.code]
    return fits


def _flagged(opened: EventColumns, flag: str) -> Bools:
    columns = opened.columns
    if flag == "nonfinite":
        return columns.bad()
    if flag == "kept":
        return np.asarray(columns.whole("value_position") != NONE)
    if flag == "inf":
        return np.asarray((columns.whole("neg_inf") > 0) | (columns.whole("pos_inf") > 0))
    return np.asarray(columns.whole(flag) > 0)
