"""Where each tensor that eager code takes out of a dataset stands in the element: `['ids']`, `[1][0]`.

The operation gives the tensors of an element one behind the other. Only the iterator, which asks for them, knows what
Python makes of that.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

from tensordbg.backends.tensorflow.attributes import eager_attributes, with_notes
from tensordbg.backends.tensorflow.internals import iterator_ops
from tensordbg.model import ELEMENT_PARTS
from tensordbg.recording.bound_names import names_bound

GIVING = ("IteratorGetNext", "IteratorGetNextSync")
"""The operations that take an element out of a dataset."""

_NAME = "_tensordbg_dataset_name"
"""Our mark on an iterator."""

_MOST_FRAMES = 16
_MOST_PARTS = 64


def site_attributes(op_type: str, settings: Sequence[Any] | None, frame: FrameType | None) -> str:
    """The attributes of an eager operation, with where its outputs stand in the element that it takes, if it does.

    Args:
        op_type: Its type.
        settings: Its settings' names and values in turn, as the runtime takes them.
        frame: The innermost frame.
    """
    attributes = json.dumps(eager_attributes(op_type, settings))
    if op_type not in GIVING:
        return attributes
    iterator = _iterator(frame)
    parts = [] if iterator is None else list(_parts("", iterator.element_spec))
    return with_notes(attributes, {ELEMENT_PARTS: parts if len(parts) <= _MOST_PARTS else []})


def dataset_name(frame: FrameType | None, is_own: Callable[[str], bool]) -> str:
    """The name that the lines which run have for the dataset that an element is taken out of; empty where it has none.

    Several of them may be iterated over on one line, by `zip`.

    Args:
        frame: The innermost frame.
        is_own: Whether a file is the program's own.
    """
    iterator = _iterator(frame)
    if iterator is None:
        return ""
    known: str | None = getattr(iterator, _NAME, None)
    if known is None:
        dataset = iterator._dataset  # noqa: SLF001  described in internals.py
        names = [] if dataset is None else names_bound(frame, lambda each: each is dataset, is_own)
        known = names[0] if names else ""
        setattr(iterator, _NAME, known)
    return known


def _iterator(frame: FrameType | None) -> Any | None:
    """The iterator that is taking an element."""
    for _ in range(_MOST_FRAMES):
        if frame is None:
            break
        if frame.f_code.co_name == "_next_internal":
            iterator = frame.f_locals.get("self")
            if isinstance(iterator, iterator_ops.OwnedIterator):
                return iterator
        frame = frame.f_back
    return None


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
