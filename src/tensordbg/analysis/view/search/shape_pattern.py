"""Patterns of shapes in a search: `[100,*]`, `[]`, `[...,3]`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tensordbg.errors import UsageError

_ITEM = re.compile(r"\d{1,18}|\*|\?|\.\.\.")


@dataclass(frozen=True)
class ShapePattern:
    """A pattern that a shape must fit."""

    items: tuple[str, ...]
    """For each dimension its extent or `*`; `...` stands for any number of dimensions."""

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether a shape is like that."""
        return _fit(self.items, shape)


def parse_shape(text: str) -> ShapePattern:
    """Reads a pattern, with or without brackets.

    Raises:
        UsageError: If it is none.
    """
    inner = text.removeprefix("[").removesuffix("]").strip()
    items = tuple(item.strip() for item in inner.removesuffix(",").split(",")) if inner else ()
    wrong = next((item for item in items if not _ITEM.fullmatch(item)), None)
    if wrong is not None or items.count("...") > 1:
        raise UsageError(
            f"{text!r} is no pattern of a shape; write the extents, `*` for any, and `...` once for any number of "
            "dimensions, such as shape:[100,*]"
        )
    return ShapePattern(tuple("*" if item == "?" else item for item in items))


def _fit(items: tuple[str, ...], shape: tuple[int, ...]) -> bool:
    if "..." in items:
        place = items.index("...")
        after = len(items) - place - 1
        if len(shape) < place + after:
            return False
        return _fit(items[:place], shape[:place]) and _fit(items[place + 1 :], shape[len(shape) - after :])
    return len(items) == len(shape) and all(
        item in ("*", str(extent)) or (item.isdecimal() and int(item) == extent)
        for item, extent in zip(items, shape, strict=True)
    )
