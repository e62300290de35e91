"""Under which names the program's text has what an eager operation is given: `batch`, `self.table`, `rows['ids']`.

A value that comes in from outside has no name of its own. When its site is described, which is once for each place in
the program, the names that the running lines of the program mention are looked at: whether one of them is that object.
"""

from __future__ import annotations

import dis
import functools
import itertools
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

_LOADS = ("LOAD_CLASSDEREF", "LOAD_DEREF", "LOAD_FAST", "LOAD_GLOBAL", "LOAD_NAME")
"""How the names begin of the instructions that load a name; some of later versions load two."""

_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")

_SHARED = (bool, int, float, complex, str, bytes, type(None), tuple)
"""Of which the interpreter may give two equal ones out as one object."""

_MOST_FRAMES = 64
_MOST_NAMES = 4
_MOST_PARTS = 64


def names_bound(frame: FrameType | None, is_it: Callable[[Any], bool], is_own: Callable[[str], bool]) -> list[str]:
    """The names of an object in the lines that run, one for each frame of the program's own, innermost first.

    Args:
        frame: The innermost frame.
        is_it: Whether a value is the object.
        is_own: Whether a file is the program's own.
    """
    found: list[str] = []
    for _ in range(_MOST_FRAMES):
        if frame is None or len(found) == _MOST_NAMES:
            break
        if is_own(frame.f_code.co_filename):
            name = next(_names_in(frame, is_it), "")
            found += [name] if name and name not in found else []
        frame = frame.f_back
    return found


def may_be_told_apart(value: Any) -> bool:
    """Whether that two values are one object says that they are one value of the program."""
    return not isinstance(value, _SHARED)


def _names_in(frame: FrameType, is_it: Callable[[Any], bool]) -> Iterator[str]:
    """What the running lines of a frame call the object, the plainest first."""
    mentioned, attributes = _mentioned(frame)
    held = {name: _value(frame, name) for name in mentioned}
    yield from (name for name, value in held.items() if is_it(value))
    for name, value in held.items():
        for part, each in _parts(value, attributes):
            if is_it(each):
                yield f"{name}{part}"


def _mentioned(frame: FrameType) -> tuple[list[str], list[str]]:
    """The names and attributes that the call which runs in a frame mentions, with the other lines of its statement."""
    first, last, *_ = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None, None))
    first = frame.f_lineno if first is None else first
    names: dict[str, None] = {}
    attributes: dict[str, None] = {}
    by_line = _by_line(frame.f_code)
    for line in range(first or 0, (last or first or 0) + 1):
        for name, is_attribute in by_line.get(line, ()):
            (attributes if is_attribute else names)[name] = None
    return list(names), list(attributes)


@functools.lru_cache(maxsize=1024)
def _by_line(code: CodeType) -> dict[int, list[tuple[str, bool]]]:
    """By line of a code object what it loads, and whether that is an attribute."""
    found: dict[int, list[tuple[str, bool]]] = {}
    for instruction in dis.get_instructions(code):
        line = instruction.positions.lineno if instruction.positions is not None else None
        if line is None or not instruction.opname.startswith((*_LOADS, *_ATTRIBUTES)):
            continue
        names = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
        is_attribute = instruction.opname.startswith(_ATTRIBUTES)
        found.setdefault(line, []).extend((name, is_attribute) for name in names if _is_name(name))
    return found


def _is_name(name: object) -> bool:
    """Whether it stands in the text; pytest adds names of its own to the code of tests."""
    return isinstance(name, str) and name.isidentifier()


def _value(frame: FrameType, name: str) -> Any:
    local = frame.f_locals
    return local[name] if name in local else frame.f_globals.get(name)


def _parts(value: Any, attributes: list[str]) -> Iterator[tuple[str, Any]]:
    """The parts of a value, without running any code of the program."""
    kind = type(value)
    if kind is dict:
        few = itertools.islice(value.items(), _MOST_PARTS)
        yield from ((f"[{key!r}]", each) for key, each in few if type(key) in {str, int})
    elif kind in {list, tuple}:
        yield from ((f"[{place}]", each) for place, each in enumerate(value[:_MOST_PARTS]))
    elif attributes and "__dict__" not in kind.__dict__.get("__slots__", ()):
        try:
            held = object.__getattribute__(value, "__dict__")
        except AttributeError:
            return
        if type(held) is dict:
            yield from ((f".{name}", held[name]) for name in attributes if name in held)
