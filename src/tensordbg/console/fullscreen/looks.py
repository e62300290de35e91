"""How the words for styles look: the sixteen colours that every terminal has, never colour alone."""

from __future__ import annotations

from rich.style import Style as Look

from tensordbg.console.pages.page import Span, Style

LOOKS: dict[Style, Look] = {
    "": Look(),
    "title": Look(bold=True),
    "heading": Look(bold=True),
    "bad": Look(color="red", bold=True),
    "good": Look(color="green"),
    "dim": Look(dim=True),
    "bold": Look(bold=True),
    "highlight": Look(color="black", bgcolor="yellow"),
    "link": Look(color="cyan"),
}
"""Bold tells what is bad where colours are not to be told apart; the text says it in words or signs besides."""

LINK = Look(underline=True)
CHOSEN = Look(reverse=True)
"""The link that Enter follows, or that the mouse is on."""
MATCH = Look(color="black", bgcolor="yellow")
MARKED = Look(bold=True, reverse=True)
"""The line that `@` or `/` went to."""
MORE = Look(color="yellow", bold=True)
"""The sign at the edge of a line that goes on."""


def look_of(span: Span) -> Look:
    """The look of a span; one that can be chosen is underlined."""
    return LOOKS[span.style] + LINK if span.command else LOOKS[span.style]
