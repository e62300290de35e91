"""Finds the lists that a call of PyTorch's own refused before any operation ran, and what in them does not fit.

`torch.tensor([[1, 2], [3]])` raises in C++ at the program's own line: neither the observer nor a frame of PyTorch's
tells of it. What is called, and with what, is read off the line; nothing of the program's is run for that.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from types import BuiltinFunctionType, FrameType, FunctionType, MethodDescriptorType, TracebackType
from typing import Any

from tensordbg.model import StatedInput

_MOST = 10_000
"""So many elements of a list are looked at."""
_DEEPEST = 8
_TOLD = 6
_LONGEST = 24


def is_call_of(trace: TracebackType | None, packages: AbstractSet[str]) -> bool:
    """Whether the innermost line of a traceback stands at a call of a function of some packages."""
    found = _innermost_call(trace)
    return found is not None and _is_of(_value(found[0].func, found[1]), packages)


def refused_lists(trace: TracebackType | None) -> tuple[StatedInput, ...]:
    """The lists that the innermost call was given and that no tensor can be made of, as text of what is wrong."""
    found = _innermost_call(trace)
    if found is None:
        return ()
    call, frame = found
    arguments = [*call.args, *(each.value for each in call.keywords)]
    texts = [(ast.unparse(each), _unfit(_value(each, frame))) for each in arguments]
    return tuple(StatedInput(name, "", None, elements=text) for name, text in texts if text and len(name) <= _LONGEST)


def _innermost_call(trace: TracebackType | None) -> tuple[ast.Call, FrameType] | None:
    if trace is None:
        return None
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    positions = getattr(code, "co_positions", tuple)  # from Python 3.11 on
    place = next(islice(positions(), max(0, trace.tb_lasti) // 2, None), (None,) * 4)
    try:
        parsed = ast.parse(f"({_text(code.co_filename, place)})", mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return (parsed, trace.tb_frame) if isinstance(parsed, ast.Call) else None


def _text(file: str, place: Sequence[int | None]) -> str:
    """The text at a place; columns count bytes."""
    first, last, begin, end = place
    if first is None or last is None or begin is None or end is None:
        return ""
    lines = [line.encode() for line in linecache.getlines(file)[first - 1 : last]]
    if len(lines) <= last - first:
        return ""
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][begin:]
    return b"".join(lines).decode()


def _value(node: ast.expr, frame: FrameType) -> Any:
    """What a name, an attribute that an object or a module holds, or a list of such stands for; None of all else."""
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    if isinstance(node, ast.Attribute):
        owner = _value(node.value, frame)
        if _is_tensor(owner):
            return getattr(type(owner), node.attr, None)
        return getattr(owner, "__dict__", {}).get(node.attr)
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(each, frame) for each in node.elts]
    return node.value if isinstance(node, ast.Constant) else None


def _is_tensor(value: object) -> bool:
    from torch import Tensor

    return isinstance(value, Tensor)


def _is_of(called: object, packages: AbstractSet[str]) -> bool:
    """Whether a function or class is of some packages; a method that is written in C++ says so by its class."""
    if isinstance(called, (FunctionType, BuiltinFunctionType, type)):
        module = called.__module__
    else:
        module = (called.__objclass__ if isinstance(called, MethodDescriptorType) else type(called)).__module__
    return str(module).partition(".")[0] in packages


def _unfit(value: Any) -> str:
    """`3 lists of 3, 2 and 4 elements`, `3 lists with None at [1][1]`; empty where a tensor can be made of a list."""
    if not isinstance(value, (list, tuple)):
        return ""
    level: list[tuple[str, Any]] = [("", value)]
    for _ in range(_DEEPEST):
        within = [(f"{place}[{k}]", each) for place, several in level for k, each in enumerate(several)][:_MOST]
        lists = [each for _, each in within if isinstance(each, (list, tuple))]
        if len(lists) == len(within) and lists:
            if len({len(each) for each in lists}) > 1:
                return f"{_lists(value)} {_of_lengths(level, lists)}"
            level = within
            continue
        wrong = next(((place, each) for place, each in within if not _is_number(each)), None)
        return "" if wrong is None else f"{_lists(value)} with {_kind(wrong[1])} at {wrong[0]}"
    return ""


def _lists(value: Sequence[Any]) -> str:
    of_lists = bool(value) and all(isinstance(each, (list, tuple)) for each in value)
    return _counted(len(value), "list" if of_lists else "element")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _of_lengths(level: list[tuple[str, Any]], lists: list[Any]) -> str:
    """The lengths of some lists; of many the first ones, of nested ones where they begin to differ."""
    lengths = [len(each) for each in lists]
    if level[0][0] == "" and len(lengths) <= _TOLD:
        return f"of {', '.join(map(str, lengths[:-1]))} and {_counted(lengths[-1], 'element')}"
    places = [f"{place}[{k}]" for place, several in level for k in range(len(several))]
    other = next(k for k, length in enumerate(lengths) if length != lengths[0])
    return f"of which {places[0]} has {_counted(lengths[0], 'element')} and {places[other]} has {lengths[other]}"


def _is_number(value: object) -> bool:
    return isinstance(value, (bool, int, float, complex)) or hasattr(type(value), "__array__") or _is_tensor(value)


def _kind(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, str):
        return repr(value if len(value) <= _LONGEST else f"{value[:_LONGEST]}...")
    return f"a {type(value).__name__}"
