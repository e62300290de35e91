"""Shows control characters as escapes, so that a name from a trace can't steer the terminal that it is shown on."""

from __future__ import annotations

import re

# The controls of ASCII and of Latin-1 (a terminal may take U+009B for the beginning of an escape sequence), marks that
# turn the direction of text, and halves of surrogate pairs, which can't be encoded. Tabs and line breaks stay.
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)"
)


def escaped(text: str) -> str:
    """Returns the text with each control character as `repr` does."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def escaped_json(text: str) -> str:
    """Returns JSON that means the same and holds no control character but line breaks and tabs."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
