"""Reads JSON that others wrote: texts in it can be encoded and shown, whatever stands there."""

from __future__ import annotations

import json
import re
from typing import Any

_DEEPEST = 200
"""So many lists and objects may lie in one another; what is written here has a dozen."""

_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
"""A text, even one that does not end; most of it is passed over at once, for whole sources are among them."""

_BRACKET = re.compile(r"[\[\]{}]")


def load_json(data: bytes) -> Any:
    r"""The value that bytes in UTF-8 stand for; half of a surrogate pair in a text becomes a question mark.

    Neither Arrow nor a terminal takes such a half, which is no character; JSON lets it pass as `\ud800`.

    Raises:
        ValueError: If they are no JSON, or lists and objects lie too deep in one another.
    """
    text = data.decode()
    value = parsed(text)
    return _whole(value) if "\\ud" in text or "\\uD" in text else value


def parsed(text: str) -> Any:
    """The value that JSON stands for, if it is nested no deeper than anything sensible.

    Raises:
        ValueError: If it is no JSON, or nested deeper.
    """
    refuse_deep(text)
    return json.loads(text)


def refuse_deep(text: str) -> None:
    """Refuses JSON that is nested deeper than anything sensible, before it is decoded.

    A decoder would go on until Python's stack is used up. What is collected or called back just then, of whatever
    part of the process, has no stack left either: its error can only be printed, and what it had to do is not done.

    Raises:
        ValueError: If it is.
    """
    if text.count("[") + text.count("{") > _DEEPEST and _is_deep(text):
        raise ValueError(f"lists and objects lie in one another more than {_DEEPEST} deep")


def _is_deep(text: str) -> bool:
    depth = 0
    for bracket in _BRACKET.findall(_TEXT.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > _DEEPEST:
            return True
    return False


def whole_text(text: str) -> str:
    """A text with a question mark for each half of a surrogate pair."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, list):
        return [_whole(each) for each in value]
    if isinstance(value, dict):
        return {whole_text(key): _whole(each) for key, each in value.items()}
    return value
