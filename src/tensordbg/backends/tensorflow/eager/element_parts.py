"""Where each tensor that eager code takes out of a dataset stands in the element: `['ids']`, `[1][0]`.

The operation gives the tensors of an element one behind the other. Only the iterator, which asks for them, knows what
Python makes of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType
from typing import Any

from tensordbg.backends.tensorflow.attributes import with_notes
from tensordbg.backends.tensorflow.internals import iterator_ops
from tensordbg.model import ELEMENT_PARTS

_GIVING = ("IteratorGetNext", "IteratorGetNextSync")
"""The operations that take an element out of a dataset."""

_MOST_FRAMES = 16
_MOST_PARTS = 64


def element_note(op_type: str, frame: FrameType | None) -> str:
    """The attributes of an eager operation, with where its outputs stand in the element that it takes, if it does.

    Args:
        op_type: Its type.
        frame: The innermost frame.
    """
    return with_notes("{}", {ELEMENT_PARTS: _element_parts(frame)}) if op_type in _GIVING else "{}"


def _element_parts(frame: FrameType | None) -> list[str]:
    """For each tensor of the element that is being taken what Python writes behind the element to get at it."""
    for _ in range(_MOST_FRAMES):
        if frame is None:
            break
        if frame.f_code.co_name == "_next_internal":
            iterator = frame.f_locals.get("self")
            if isinstance(iterator, iterator_ops.OwnedIterator):
                parts = list(_parts("", iterator.element_spec))
                return parts if len(parts) <= _MOST_PARTS else []
        frame = frame.f_back
    return []


def _parts(path: str, spec: Any) -> Iterator[str]:
    """As TensorFlow flattens structures: dictionaries by the order of their keys."""
    if isinstance(spec, dict):
        for key in sorted(spec):
            yield from _parts(f"{path}[{key!r}]", spec[key])
    elif isinstance(spec, tuple):
        names = getattr(spec, "_fields", None)
        for place, each in enumerate(spec):
            yield from _parts(f"{path}.{names[place]}" if names else f"{path}[{place}]", each)
    elif spec is not None:
        yield path
