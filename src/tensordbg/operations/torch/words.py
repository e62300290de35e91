"""Reads the names in a column of the table, written as a text with spaces between them and without `aten::`."""

from __future__ import annotations

_HOME = "aten::"
_EACH = "_foreach_"


def names(text: str) -> frozenset[str]:
    """Return the types of operations in a text, each of which may stand there once."""
    found = frozenset(f"{_HOME}{name}" for name in text.split())
    assert len(found) == len(text.split()), text
    return found


def name(word: str) -> str:
    """Return the type of one."""
    return f"{_HOME}{word}"


def plain(op_type: str) -> str:
    """Return the type that computes the same: `mul` for `mul_`, in place, and `_foreach_mul`, with each of a list."""
    if not op_type.startswith(_HOME):
        return op_type
    word = op_type.removeprefix(_HOME)
    if word.startswith(_EACH):
        word = word.removeprefix(_EACH)
    if word.endswith("_") and not word.endswith("__"):
        word = word[:-1]
    return _HOME + word
