from __future__ import annotations

import io
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from rich.console import Console
from rich.text import Text

from tensordbg.analysis.tensors.intervals import parse_interval
from tensordbg.analysis.tensors.show import history_of
from tensordbg.report.elements import MARKED, Look, all_elements, elements_text
from tensordbg.trace.reader import TraceReader
from tests.report.rendering import rendered


@pytest.fixture
def text(sample_reader: TraceReader) -> Any:
    """The text of an array as if it were the elements of an event."""
    point = history_of(sample_reader, "Log").points[1]

    def make(array: np.ndarray, *ranges: str, **options: Any) -> Text:
        return elements_text(point, array, Look(options, tuple(map(parse_interval, ranges))))

    return make


def marked(text: Text) -> list[str]:
    """The words that are highlighted, in order."""
    return [text.plain[span.start : span.end] for span in text.spans if span.style == MARKED]


def test_elements_as_numpy_prints_them(text: Any) -> None:
    array = np.random.default_rng(0).normal(size=(4, 5))
    lines = rendered(text(array))
    assert lines == ["step 1  Log:0  float32[2, 3]", *np.array2string(array).splitlines()]
    assert rendered(text(array, precision=2))[1:] == np.array2string(array, precision=2).splitlines()


def test_ranges_are_counted_and_highlighted(text: Any) -> None:
    array = np.array([[-np.inf, -1.0, 0.0], [2.0, np.inf, np.nan]], np.float32)
    made = text(array, "[-inf, 0]", "nan")
    assert made.plain.splitlines()[1] == "4 of 6 elements in [-inf, 0] or nan"
    assert marked(made) == ["-inf", "-1.", "0.", "nan"]
    assert marked(text(array)) == []


def test_only_the_heading_and_what_is_in_a_range_are_bold(text: Any) -> None:
    made = text(np.array([-1.0, 1.0]), "[1, 1]")
    assert not made.style
    styled = {made.plain[span.start : span.end].strip(): span.style for span in made.spans if "bold" in str(span.style)}
    assert styled == {"step 1  Log:0  float32[2, 3]": "bold", "1.": MARKED}


def test_only_what_is_printed_of_a_large_tensor_is_highlighted(text: Any) -> None:
    array = np.arange(60 * 50).reshape(60, 50)
    made = text(array, "[0, 1]", "[2998, 2998]", "[5, 5]")
    assert made.plain.splitlines()[1] == "4 of 3,000 elements in [0, 1] or [2998, 2998] or [5, 5]"
    assert marked(made) == ["0", "1", "2998"]
    whole = text(array, "[5, 5]", **all_elements({}))
    assert marked(whole) == ["5"]
    assert "..." not in whole.plain


@pytest.mark.parametrize("shape", [(2000,), (3, 700), (7, 1, 400), (1100, 2), (12, 11, 10)])
def test_marks_are_on_the_right_elements(text: Any, shape: tuple[int, ...]) -> None:
    numbers = np.random.default_rng(1).permutation(int(np.prod(shape))).reshape(shape)
    made = text(numbers, "[0, 700]")
    elements = [
        word for line in made.plain.splitlines()[2:] for word in line.replace("[", " ").replace("]", " ").split()
    ]
    assert marked(made) == [word for word in elements if word != "..." and int(word) <= 700]


def test_other_dtypes(text: Any) -> None:
    assert rendered(text(np.array([1.5, 2], ml_dtypes.bfloat16)))[1] == "[1.5 2. ]"
    assert rendered(text(np.array(True)))[1] == "True"
    assert marked(text(np.array([True, False]), "[1, 1]")) == ["True"]
    complex_text = text(np.array([3 + 4j, 1j]), "[5, 5]")
    assert complex_text.plain.splitlines()[1] == "1 of 2 elements in [5, 5]"
    assert rendered(text(np.zeros((0, 3), np.float32)))[1] == "[]"


def test_colours_are_for_terminals(text: Any) -> None:
    made = text(np.array([-1.0, 1.0]), "[-inf, 0]")
    for terminal in (True, False):
        stream = io.StringIO()
        Console(file=stream, force_terminal=terminal, color_system="standard" if terminal else None).print(made)
        assert ("\x1b[" in stream.getvalue()) is terminal
