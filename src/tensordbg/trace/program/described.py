"""Texts of a trace that hold JSON: whether one is what `docs/trace-format.md` says, so that nobody else need ask."""

from __future__ import annotations

from typing import Any

from tensordbg.json_input import parsed
from tensordbg.trace.program.proportion import MOST_SLOTS

_MOST_SIZE = 2**63
_SPLIT = {"file": str, "line": int, "function": str, "user": bool, "reason": str}
_PARAMETER = frozenset({"kind", "text", "dtype", "shape"})


def is_attributes(text: str) -> bool:
    """Whether it is the attributes of an operation: an object."""
    return text == "{}" or isinstance(_parsed(text), dict)


def is_layer(text: str) -> bool:
    """Whether it is empty, or says to which layers an operation belongs."""
    if not text:
        return True
    said = _parsed(text)
    if not isinstance(said, dict) or not _are(str, said.get("path"), said.get("class")):
        return False
    outputs = said.get("output_of")
    return isinstance(outputs, list) and all(map(_is_output, outputs))


def is_tracing(text: str) -> bool:
    """Whether it is empty, or says where and for what a function was traced."""
    if not text:
        return True
    said = _parsed(text)
    if not isinstance(said, dict):
        return False
    numbers = (said.get(name, 0) for name in ("python", "line", "gone"))
    given = said.get("parameters", {})
    right = _are(int, *numbers) and _are(str, said.get("file", "")) and _are(bool, said.get("user", False))
    splits = said.get("splits", [])
    right = right and isinstance(splits, list) and all(map(_is_split, splits))
    return right and isinstance(given, dict) and all(map(_is_parameter, given.values()))


def is_shape(text: str) -> bool:
    """Whether it is the shape of a tensor: a list of sizes."""
    shape = _parsed(text)
    return isinstance(shape, list) and all(type(size) is int and 0 <= size < _MOST_SIZE for size in shape)


def _parsed(text: str) -> Any:
    try:
        return parsed(text)
    except ValueError:
        return None


def _are(kind: type, *values: object) -> bool:
    """Whether all are of one type; a truth value is no number."""
    return all(type(value) is kind for value in values)


def _is_output(value: object) -> bool:
    """Whether it is path, class, slot and number of a layer's output."""
    if not isinstance(value, list) or len(value) != 4:
        return False
    path, class_name, slot, number = value
    return _are(str, path, class_name) and _are(int, slot, number) and 0 <= slot < MOST_SLOTS


def _is_split(value: object) -> bool:
    """Whether it tells where and why a function was split."""
    return (
        isinstance(value, dict)
        and value.keys() == _SPLIT.keys()
        and all(_are(kind, value[name]) for name, kind in _SPLIT.items())
        and value["line"] >= 0
    )


def _is_parameter(value: object) -> bool:
    """Whether it tells what one parameter was given."""
    if not isinstance(value, dict) or not {"kind", "text"} <= value.keys() <= _PARAMETER:
        return False
    return _are(str, *value.values())
