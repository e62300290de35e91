"""Sources for a saved page: the user's own whole, of libraries the lines around those that stacks name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tensordbg.wire.view.source import LineView, SourceView

_WHOLE = 200_000
"""The user's own files are kept whole up to so many characters."""
_AROUND = 15
"""Of others so many lines above and below each line that is named."""
_LEFT_OUT = "# (lines left out of the saved page)"


def lines_by_file(stacks: Iterable[Iterable[LineView]]) -> dict[str, set[int]]:
    """Which lines stacks name, the innermost frames' files first within each."""
    lines: dict[str, set[int]] = {}
    for stack in stacks:
        for frame in reversed(tuple(stack)):
            lines.setdefault(frame.file, set()).add(frame.line)
    return lines


def shortened(source: SourceView, user: bool, lines: Iterable[int]) -> SourceView:
    """A source with all its lines at their numbers, those that nobody needs empty."""
    if user and len(source.text) <= _WHOLE:
        return source
    kept = {near for line in lines for near in range(line - _AROUND, line + _AROUND + 1)}
    texts = source.text.splitlines()
    shown = [text if number in kept else "" for number, text in enumerate(texts, 1)]
    for number in range(1, len(texts) + 1):
        if number not in kept and (number == 1 or number - 1 in kept):
            shown[number - 1] = _LEFT_OUT
    return replace(source, text="\n".join(shown))
