from __future__ import annotations

import numpy as np
import pytest

from tensordbg.analysis.tensors.intervals import parse_interval
from tensordbg.console.pages.element_format import format_of
from tensordbg.console.pages.element_lines import ElementLines
from tensordbg.console.pages.page import plain
from tensordbg.errors import UsageError


def lines_of(array: np.ndarray, shortened: bool = False) -> ElementLines:
    return ElementLines(array, format_of(array), shortened=shortened)


def texts(lines: ElementLines) -> list[str]:
    return [plain(line) for line in lines.part(0, len(lines))]


@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (2, 3, 2), (2, 1, 2, 2)])
def test_brackets_are_as_numpys(shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    expected = [line for line in np.array2string(array, separator=", ").splitlines() if line]
    assert texts(lines_of(array)) == expected


@pytest.mark.parametrize("shape", [(0,), (2, 0)])
def test_nothing_is_written_as_brackets(shape: tuple[int, ...]) -> None:
    assert texts(lines_of(np.zeros(shape))) == ["[" * len(shape) + "]" * len(shape)]


def test_a_long_row_goes_over_several_lines_and_each_element_is_found() -> None:
    array = np.arange(2 * 100).reshape(2, 100)
    lines = lines_of(array)
    for index in ((0, 0), (0, 99), (1, 50), (-1, -1)):
        assert str(array[index]) in texts(lines)[lines.line_of(index)].replace(",", " ").replace("]", " ").split()


def test_of_a_large_tensor_a_few_at_each_end_are_shown() -> None:
    array = np.arange(10_000).reshape(100, 100)
    said = texts(lines_of(array, shortened=True))
    assert len(said) == 6
    assert said[0] == "[[   0,    1,    2, ...,   97,   98,   99],"
    assert said[2].endswith("], ...")
    lines = lines_of(array, shortened=True)
    assert lines.line_of((99, 98)) == 5
    with pytest.raises(UsageError, match=r"the element \[50, 0\] is left out; `-a` shows all"):
        lines.line_of((50, 0))


def test_what_is_not_there_is_refused() -> None:
    lines = lines_of(np.zeros((2, 3)))
    with pytest.raises(UsageError, match=r"the element \[1\] needs 2 numbers"):
        lines.line_of((1,))
    with pytest.raises(UsageError, match=r"no element \[2, 0\] is there; the shape is \[2, 3\]"):
        lines.line_of((2, 0))


def test_ranges_are_highlighted_and_what_is_not_finite_stands_out() -> None:
    array = np.array([-np.inf, 0.5, 3.0])
    lines = ElementLines(array, format_of(array), (parse_interval("[0, 1]"),))
    styles = {span.text.strip(): span.style for span in lines.part(0, 1)[0] if span.style}
    assert styles == {"-inf": "bad", "0.5": "highlight"}


def test_a_large_tensor_has_its_lines_at_once() -> None:
    lines = lines_of(np.zeros((3_000_000, 4), dtype=np.int8))
    assert len(lines) == 3_000_000
    assert plain(lines.part(2_999_999, 3_000_000)[0]) == " [0, 0, 0, 0]]"
