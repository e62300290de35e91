"""Completes at the cursor: what the console knows, and the commands of the screen itself."""

from __future__ import annotations

from dataclasses import replace

from tensordbg.console.completion import Completion
from tensordbg.console.console import Console
from tensordbg.errors import TensordbgError

OWN = ("keys", "mouse")
"""The commands that only the screen has."""


def complete_line(console: Console, line: str, cursor: int) -> Completion:
    """Words in full; none where the trace can't be read just now."""
    try:
        completion = console.complete(line, cursor)
    except TensordbgError:
        return Completion(cursor)
    typed = line[:cursor].lstrip()
    if not typed or " " in typed:
        return completion
    own = tuple(word for word in OWN if word.startswith(typed))
    return replace(completion, begin=cursor - len(typed), candidates=(*completion.candidates, *own))
