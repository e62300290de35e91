"""Under which names the program's text has what an operation is given: `batch`, `self.table`, `rows['ids']`.

A value that comes in from outside has no name of its own. When its site is described, which is once for each place in
the program, the names that the running lines of the program mention are looked at: whether one of them is that object.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType, MemberDescriptorType, TracebackType
from typing import Any, NamedTuple

from tensordbg.recording.code_lines import line_at, lines_of
from tensordbg.recording.frame_values import values_in
from tensordbg.recording.holders import tables_of, unwrapped

_LOADS = ("LOAD_CLASSDEREF", "LOAD_DEREF", "LOAD_FAST", "LOAD_GLOBAL", "LOAD_NAME")
"""How the names begin of the instructions that load a name; some of later versions load two."""

_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")

_CONSTANTS = ("LOAD_CONST", "LOAD_SMALL_INT", "RETURN_CONST")

_RECKONING = ("BINARY_OP", "UNARY_")
"""How the instructions begin that make another number of what they load; `rows[0]` is one of them in later versions."""

_SHARED = (bool, int, float, complex, str, bytes, type(None), tuple)
"""Of which the interpreter may give two equal ones out as one object."""

_PUSHING = ("COPY", "LOAD_", "NOP", "PUSH_NULL")
_TAKING = ("DELETE_", "POP_", "RETURN_", "STORE_")
"""How the instructions begin that only put something onto the stack, and that leave nothing there."""

_MOST_FRAMES = 64
_MOST_NAMES = 4
_MOST_PARTS = 64
_DEEPEST = 3
"""So many parts of parts are looked at: `self.blocks[0].w`."""

_Position = tuple[int, int, int, int]
"""First line, first column, last line, last column."""


class _Load(NamedTuple):
    """What an instruction loads."""

    name: str
    is_attribute: bool
    constant: Any
    position: _Position


@dataclass(frozen=True)
class Mention:
    """A name in the text of the instruction that runs; a call has all of its arguments."""

    instruction: str
    names: tuple[str, ...]
    attributes: tuple[str, ...]
    constants: tuple[Any, ...]


def names_bound(frame: FrameType | None, is_it: Callable[[Any], bool], is_own: Callable[[str], bool]) -> list[str]:
    """The names of an object in the lines that run, one for each frame of the program's own, innermost first.

    Args:
        frame: The innermost frame.
        is_it: Whether a value is the object.
        is_own: Whether a file is the program's own.
    """
    return list(dict.fromkeys(name for _, name in bindings(frame, is_it, is_own)))


def bindings(
    frame: FrameType | None, is_it: Callable[[Any], bool], is_own: Callable[[str], bool]
) -> Iterator[tuple[FrameType, str]]:
    """The frames in which `names_bound` finds a name, each with that."""
    found: set[str] = set()
    for _ in range(_MOST_FRAMES):
        if frame is None or len(found) == _MOST_NAMES:
            break
        if is_own(frame.f_code.co_filename) and (name := next(_names_in(frame, is_it), "")):
            found.add(name)
            yield frame, name
        frame = frame.f_back


def name_at(trace: TracebackType, is_it: Callable[[Any], bool]) -> str:
    """The name of an object in the line that raised in a frame, which may run another one by now; empty without one."""
    return next((name for name, value in named_at(trace) if is_it(value)), "")


def named_at(trace: TracebackType) -> Iterator[tuple[str, Any]]:
    """Yields what the line that raised in a frame mentions, and parts of that, each with its name, plainest first."""
    first, last, *_ = _stands(trace.tb_frame.f_code, trace.tb_lasti)
    # Where an `except` raised the error again, the instruction is that of its `raise`.
    lines = (first, last) if first == trace.tb_lineno else (trace.tb_lineno, trace.tb_lineno)
    return _named_among(trace.tb_frame, *_mentioned_in(trace.tb_frame.f_code, *lines))


def lines_that_raised(error: BaseException, is_own: Callable[[str], bool]) -> Iterator[TracebackType]:
    """The lines of some files in the traceback of an error, innermost first."""
    steps: list[TracebackType] = []
    step = error.__traceback__
    while step is not None:
        steps.append(step)
        step = step.tb_next
    return (each for each in reversed(steps) if is_own(each.tb_frame.f_code.co_filename))


def is_distinguishable(value: Any) -> bool:
    """Whether that two values are one object says that they are one value of the program."""
    return not isinstance(value, _SHARED)


def mentions(frame: FrameType) -> Mention:
    """The inputs of the instruction that runs in a frame, and their parts in the same expression.

    Not what Python reckons with on the way: of `x / (1 - 0.9 ** n)` the divisor is another number than `n`.
    """
    around = _position(_stands(frame.f_code, frame.f_lasti))
    loads, instructions, reckoned = _by_line(frame.f_code)
    inside: list[_Load] = []
    if around is not None:
        near = itertools.chain.from_iterable(loads.get(line, ()) for line in range(around[0], around[2] + 1))
        inner = [each for each in reckoned if each != around and _holds(around, each)]
        inside = [
            each for each in near
            if _holds(around, each.position) and not any(_holds(other, each.position) for other in inner)
        ]  # fmt: skip
    named = [each for each in inside if each.name]
    return Mention(
        instructions.get(frame.f_lasti, ""),
        tuple(dict.fromkeys(each.name for each in named if not each.is_attribute)),
        tuple(dict.fromkeys(each.name for each in named if each.is_attribute)),
        tuple(each.constant for each in inside if not each.name),
    )


def _names_in(frame: FrameType, is_it: Callable[[Any], bool]) -> Iterator[str]:
    """What the running lines of a frame call the object, the plainest first."""
    return (name for name, value in _named_among(frame, *_mentioned(frame)) if is_it(value))


def _named_among(frame: FrameType, mentioned: Sequence[str], attributes: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    held = values_of(frame, mentioned)
    yield from held.items()
    for name, value in held.items():
        yield from ((f"{name}{part}", each) for part, each in parts_of(value, attributes))


def _mentioned(frame: FrameType) -> tuple[list[str], tuple[str, ...]]:
    """The names and attributes that the call which runs in a frame mentions, with the other lines of its statement."""
    first, last, *_ = _stands(frame.f_code, frame.f_lasti)
    first = line_at(frame.f_code, frame.f_lasti) if first is None else first
    return _mentioned_in(frame.f_code, first, last)


def _mentioned_in(code: CodeType, first: int | None, last: int | None) -> tuple[list[str], tuple[str, ...]]:
    names: dict[str, None] = {}
    attributes: dict[str, None] = {}
    by_line, *_ = _by_line(code)
    for line in range(first or 0, (last or first or 0) + 1):
        for each in by_line.get(line, ()):
            if each.name:
                (attributes if each.is_attribute else names)[each.name] = None
    return list(names), tuple(attributes)


@functools.lru_cache(maxsize=1024)
def _by_line(code: CodeType) -> tuple[dict[int, list[_Load]], dict[int, str], tuple[_Position, ...]]:
    """By line of a code object what it loads, by place the names of its instructions, and where it reckons."""
    found: dict[int, list[_Load]] = {}
    instructions = {}
    reckoned: list[_Position] = []
    positions = _positions(code)
    lines = lines_of(code)
    listed = list(dis.get_instructions(code))
    for number, instruction in enumerate(listed):
        place = instruction.offset // 2
        instructions[instruction.offset] = instruction.opname
        if instruction.opname.startswith(_RECKONING) and instruction.argrepr != "[]" and positions:
            reckoned += filter(None, [_position(positions[place])])
        line = lines.get(place)
        if line is None or not instruction.opname.startswith((*_LOADS, *_ATTRIBUTES, *_CONSTANTS)):
            continue
        position = (_position(positions[place]) if positions else None) or (line, 0, line, 0)
        loads = found.setdefault(line, [])
        if instruction.opname.startswith(_CONSTANTS):
            loads.append(_Load("", False, instruction.argval, position))
            continue
        names = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
        is_attribute = instruction.opname.startswith(_ATTRIBUTES)
        where = [position] * len(names)
        if len(names) > 1 and positions:  # it stands where the first of them does
            where[-1] = _position(positions[_taker(listed, number).offset // 2]) or position
        loads.extend(
            _Load(name, is_attribute, None, at) for name, at in zip(names, where, strict=True) if _is_name(name)
        )
    return found, instructions, tuple(reckoned)


def _taker(listed: Sequence[dis.Instruction], number: int) -> dis.Instruction:
    """The instruction that takes what one has put onto the stack last; that one where it is not found."""
    above = 0
    for each in itertools.islice(listed, number + 1, None):
        effect = dis.stack_effect(each.opcode, each.arg)
        if each.opname.startswith(_ATTRIBUTES):
            lowest = above - 1
        elif each.opname.startswith(_PUSHING):
            lowest = above
        else:
            lowest = above + effect - (not each.opname.startswith(_TAKING))
        if lowest < 0:
            return each
        above += effect
    return listed[number]


def _holds(outer: _Position, inner: _Position) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def _stands(code: CodeType, last: int) -> tuple[int | None, ...]:
    """Where an instruction stands: first and last line, first and last column."""
    positions = _positions(code)
    place = last // 2
    return positions[place] if place < len(positions) else (None,) * 4


@functools.lru_cache(maxsize=1024)
def _positions(code: CodeType) -> Sequence[tuple[int | None, ...]]:
    """Where each instruction stands in the text, as Python tells since 3.11; before, nothing."""
    told = getattr(code, "co_positions", None)
    return () if told is None else tuple(told())


def _position(told: tuple[int | None, ...]) -> _Position | None:
    line, last, column, end = told
    return None if line is None or last is None or column is None or end is None else (line, column, last, end)


def _is_name(name: object) -> bool:
    """Whether it stands in the text; pytest adds names of its own to the code of tests."""
    return isinstance(name, str) and name.isidentifier()


def values_of(frame: FrameType, names: Iterable[str]) -> dict[str, Any]:
    """The values of names in a frame, None where it has none."""
    local = values_in(frame)
    return {name: local[name] if name in local else frame.f_globals.get(name) for name in names}


def parts_of(value: Any, attributes: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """The parts of a value, and their parts, each with what Python writes behind it; no code of the program runs."""
    waiting = [("", value)]
    for _ in range(_DEEPEST):
        parts = [(f"{path}{part}", each) for path, holder in waiting for part, each in _parts(holder, attributes)]
        yield from parts
        waiting = parts[:_MOST_PARTS]


def _parts(value: Any, attributes: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    value = unwrapped(value)
    kind = type(value)
    if issubclass(kind, dict):
        few = itertools.islice(dict.items(value), _MOST_PARTS)
        yield from ((f"[{key!r}]", each) for key, each in few if type(key) in {str, int})
    elif issubclass(kind, (list, tuple)):
        sequence: Any = list if issubclass(kind, list) else tuple
        few = itertools.islice(sequence.__iter__(value), _MOST_PARTS)
        yield from zip(_places(kind), few, strict=False)
    elif attributes and "__dict__" not in kind.__dict__.get("__slots__", ()):
        holders = list(_holders(value))
        for name in attributes:
            held = next((holder[name] for holder in holders if name in holder), None)
            if type(held) is MemberDescriptorType:
                with contextlib.suppress(AttributeError, TypeError):
                    held = held.__get__(value, kind)
            if held is not None and not hasattr(type(held), "__get__"):
                yield f".{name}", held


def _places(kind: type) -> Iterator[str]:
    """What Python writes behind a sequence to get at each element: `.rate` of a named tuple, otherwise `[0]`."""
    fields = kind.__dict__.get("_fields") if issubclass(kind, tuple) else None
    if type(fields) is tuple:
        yield from (f".{field}" for field in fields)
    else:
        yield from (f"[{place}]" for place in range(_MOST_PARTS))


def _holders(value: Any) -> Iterator[Mapping[str, Any]]:
    """Where the attributes of an object are kept: its own, then those of its classes."""
    if issubclass(type(value), type):
        classes = type.__dict__["__mro__"].__get__(value)
    else:
        classes = type(value).__mro__
        with contextlib.suppress(AttributeError, TypeError):  # a class may have taken over the parts of another
            own = object.__getattribute__(value, "__dict__")
            if type(own) is dict:
                yield own
                yield from tables_of(own)
    yield from (type.__dict__["__dict__"].__get__(each) for each in classes)
