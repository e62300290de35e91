"""Draws a line of a page as a row of the screen: styles, links, what a search found, and signs where it goes on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console as Terminal
from rich.segment import Segment
from rich.text import Text
from textual.strip import Strip

from tensordbg.console.fullscreen.looks import CHOSEN, MARKED, MATCH, MORE, look_of
from tensordbg.console.pages.page import Line, plain


@dataclass(frozen=True)
class Emphasis:
    """The parts of a line that stand out beside its own styles."""

    chosen: int | None = None
    """The span that is chosen."""
    pattern: re.Pattern[str] | None = None
    """What was searched for."""
    marked: bool = False
    """Whether this is the line that was gone to."""


def draw(line: Line, emphasis: Emphasis, terminal: Terminal) -> Strip:
    """The whole line, as wide as it is."""
    text = Text(no_wrap=True, end="")
    for number, span in enumerate(line):
        look = look_of(span)
        # Blanks around a word set it in its column; a line under them would look like an empty field.
        word = span.text.strip()
        before, _, after = span.text.partition(word) if word else (span.text, "", "")
        text.append(before)
        text.append(word, look + CHOSEN if number == emphasis.chosen else look)
        text.append(after)
    if emphasis.pattern is not None:
        for begin, end in matches(emphasis.pattern, plain(line)):
            text.stylize(MARKED if emphasis.marked else MATCH, begin, end)
    elif emphasis.marked:
        text.stylize(MARKED)
    return Strip(text.render(terminal))


def matches(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """Where a pattern is found in a line: begins and ends, none of them empty."""
    return [found.span() for found in pattern.finditer(text) if found.end() > found.start()]


def window(strip: Strip, begin: int, width: int) -> Strip:
    """The columns of a strip from `begin` on, with signs at the edges behind which there is more."""
    shown = strip.crop_extend(begin, begin + width, None)
    if width < 3:
        return shown
    if strip.cell_length > begin + width:
        shown = Strip.join([shown.crop(0, width - 1), Strip([Segment("›", MORE)], 1)])
    if begin > 0 and strip.cell_length > 0:
        shown = Strip.join([Strip([Segment("‹", MORE)], 1), shown.crop(1, width)])
    return shown


def width_of(line: Line) -> int:
    """How many columns a line takes."""
    return sum(cell_len(span.text) for span in line)
