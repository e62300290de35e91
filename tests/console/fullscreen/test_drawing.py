from __future__ import annotations

import re

from rich.console import Console as Terminal

from tensordbg.console.fullscreen.drawing import Emphasis, draw, width_of, window
from tensordbg.console.pages.page import Line, Span

TERMINAL = Terminal(width=80, color_system="standard")
LINE: Line = (Span("Tensor "), Span("Log:0", "bad", "pt Log:0"), Span(" has inf and inf"))


def looks(emphasis: Emphasis) -> dict[str, str]:
    strip = draw(LINE, emphasis, TERMINAL)
    return {segment.text: str(segment.style) for segment in strip}


def test_a_link_is_underlined_and_what_is_bad_is_bold_besides_its_colour() -> None:
    assert looks(Emphasis())["Log:0"] == "bold underline red"
    assert looks(Emphasis())["Tensor "] == "none"


def test_the_chosen_link_is_reversed() -> None:
    assert "reverse" in looks(Emphasis(chosen=1))["Log:0"]


def test_each_match_is_highlighted_and_those_of_the_line_gone_to_otherwise() -> None:
    pattern = re.compile("inf")
    strip = draw(LINE, Emphasis(pattern=pattern), TERMINAL)
    found = [segment.style for segment in strip if segment.text == "inf"]
    assert len(found) == 2
    assert {str(style) for style in found} == {"black on yellow"}
    assert looks(Emphasis(pattern=pattern, marked=True))["inf"] == "bold reverse"


def test_a_pattern_that_fits_nothing_everywhere_highlights_nothing() -> None:
    assert looks(Emphasis(pattern=re.compile("x*"))) == looks(Emphasis())


def test_window_shows_at_its_edges_that_the_line_goes_on() -> None:
    strip = draw((Span("0123456789"),), Emphasis(), TERMINAL)
    assert window(strip, 0, 10).text == "0123456789"
    assert window(strip, 0, 6).text == "01234›"
    assert window(strip, 2, 6).text == "‹3456›"
    assert window(strip, 4, 6).text == "‹56789"
    assert window(strip, 0, 12).text == "0123456789  "
    assert window(draw((), Emphasis(), TERMINAL), 3, 4).text == "    "


def test_width_counts_columns() -> None:
    assert width_of((Span("日本"), Span("x"))) == 5
