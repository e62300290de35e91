"""Reads JSON that others wrote: texts in it can be encoded and shown, whatever stands there."""

from __future__ import annotations

import json
from typing import Any


def load_json(data: bytes) -> Any:
    r"""The value that bytes in UTF-8 stand for; half of a surrogate pair in a text becomes a question mark.

    Neither Arrow nor a terminal takes such a half, which is no character; JSON lets it pass as `\ud800`.

    Raises:
        ValueError, RecursionError: If they are no JSON.
    """
    text = data.decode()
    value = json.loads(text)
    return _whole(value) if "\\ud" in text or "\\uD" in text else value


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
