"""This process as an engine: it takes one item after the other, for what is too much at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tensordbg.engines.engine import Answer, Item, Lost


class Here:
    """See `Engine`."""

    def map(self, function: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer | Lost]:
        """See `Engine`."""
        return [function(item) for item in items]
