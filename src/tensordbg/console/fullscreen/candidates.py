"""The words that may stand at the cursor, in columns above the command line."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text
from textual.widgets import Static

from tensordbg.controls import escaped

_ROWS = 6


class Candidates(Static):
    """Shows some rows of words, and how many more there are."""

    def __init__(self) -> None:
        """Shows nothing yet, and takes no room."""
        super().__init__(id="candidates", markup=False)

    def offer(self, words: Sequence[str]) -> None:
        """Shows words; none takes no room."""
        self.set_class(bool(words), "open")
        self.update(
            Text(
                "\n".join(in_columns([escaped(word) for word in words], max(self.app.size.width - 2, 1), _ROWS)),
                no_wrap=True,
            )
        )


def in_columns(words: Sequence[str], width: int, rows: int) -> list[str]:
    """Words in columns, without the folder that all have in common; the last row says how many are left out."""
    if not words:
        return []
    common = common_begin(words).rfind("/") + 1
    short = [word[common:] for word in words]
    column = max(map(cell_len, short)) + 2
    across = max(width // column, 1)
    lines = [
        "".join(word + " " * (column - cell_len(word)) for word in short[begin : begin + across]).rstrip()
        for begin in range(0, len(short), across)
    ]
    if len(lines) <= rows:
        return lines
    shown = (rows - 1) * across
    return [*lines[: rows - 1], f"… and {len(short) - shown:,} more: type some more letters"]


def common_begin(words: Sequence[str]) -> str:
    """The common beginning of all words, of which there is at least one."""
    low, high = min(words), max(words)
    return next((low[:place] for place, sign in enumerate(low) if high[place : place + 1] != sign), low)
