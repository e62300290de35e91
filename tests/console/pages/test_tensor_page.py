from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest

from tensordbg.console.console import Console
from tensordbg.console.pages.navigation import find_line
from tensordbg.console.pages.page import Span, plain, texts
from tensordbg.console.pages.tensor_page import Look, choose_event, elements_page, others_line, writable
from tensordbg.errors import UsageError


def test_a_large_tensor_is_shortened_unless_all_is_wanted() -> None:
    array = np.arange(5000.0)
    short, whole = (elements_page("", array, Look(everything=every), ()) for every in (False, True))
    assert list(texts(short))[-1] == "5,000 elements; -a shows all of them"
    assert "..." in list(texts(short))[-2]
    assert "4999." in list(texts(whole))[-1]
    assert len(elements_page("", array, Look(most=5000), ())) == len(whole)


def test_the_line_of_an_element_counts_what_stands_before_it() -> None:
    page = elements_page("", np.zeros((4, 2)), Look(summary=True), [(Span("head"),)])
    assert page.anchor is not None
    assert plain(page.lines(page.anchor((3, 0)), len(page))[0]) == " [0., 0.]]"


def test_types_that_numpy_lacks_are_widened() -> None:
    array = np.array([1.5, np.nan], dtype=ml_dtypes.bfloat16)
    assert writable(array).dtype == np.float32
    assert list(texts(elements_page("", array, Look(), ())))[-1] == "[1.5, nan]"


def test_of_several_the_first_bad_one_else_the_last(console: Console) -> None:
    bad = int(np.flatnonzero(console.opened.columns.bad())[0])
    assert choose_event(console.opened, [0, bad, bad + 1], None) == 1
    assert choose_event(console.opened, [0, 1], None) == 1
    assert choose_event(console.opened, [0, 1, 2], -3) == 0
    with pytest.raises(UsageError, match="no number 3: there are 3, numbered from 0"):
        choose_event(console.opened, [0, 1, 2], 3)


def test_those_next_to_it_are_linked() -> None:
    assert others_line(0, 1, "pt x") == []
    (line,) = others_line(1, 3, "pt x")
    assert [span.command for span in line if span.command] == ["pt x -n 0", "pt x -n 2"]
    (line,) = others_line(0, 3, "pt x")
    assert [span.command for span in line if span.command] == ["pt x -n 1"]


def test_what_is_not_finite_is_found_in_a_large_tensor_without_making_its_lines() -> None:
    array = np.ones((1000, 1000), dtype=np.float32)
    array[700, 3], array[900, 999] = np.nan, -np.inf
    page = elements_page("", array, Look(everything=True), [(Span("dtype: float32"),)])
    assert page.anchor is not None
    assert find_line(page, re.compile("nan"), 0) == page.anchor((700, 3))
    assert find_line(page, re.compile("inf"), 0) == page.anchor((900, 999))
    assert find_line(page, re.compile("nan"), page.anchor((700, 3)) + 1) is None
    assert find_line(page, re.compile("float"), 0) == 0
    assert find_line(page, re.compile(r"1\.,"), 0) == page.anchor((0, 0))
