"""The tensors of whose shapes and types the program's own code asked where it raised, such as by `assert x.ndim == 2`.

No operation tells of such an error, nor does the framework. What is asked for stands in the program's text, and the
frames that raised still hold the tensors. No code of the program runs for it.
"""

from __future__ import annotations

import ast
import dis
import linecache
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from tensordbg.recording.asked_in_text import DTYPE, SHAPE, questions_at
from tensordbg.recording.bound_names import parts_of, values_of

_TAKING_SIZES = {"BINARY_OP": ZeroDivisionError, "BINARY_SUBSCR": IndexError, "UNPACK_SEQUENCE": ValueError}
"""What Python raises by itself where there are other sizes than a statement takes, as of `b, t, c = x.shape`."""
_MOST = 16
"""Who asks for more is not the one who refuses one of them."""


@dataclass(frozen=True)
class AskedTensor:
    """A tensor whose shape or type was asked for."""

    name: str
    """As it stands in the text."""
    value: Any
    what: str
    """See `StatedInput.asked`."""


def raised_by_itself(error: BaseException) -> bool:
    """Whether the innermost frame of an error raised, or took sizes that were not there, and called nothing."""
    trace = error.__traceback__
    if trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code.co_code
    name = dis.opname[code[trace.tb_lasti]] if 0 <= trace.tb_lasti < len(code) else ""
    return name.startswith("RAISE") or type(error) is _TAKING_SIZES.get(name)


def asked_at(file: str, line: int, frames: Sequence[FrameType], is_tensor: Callable[[Any], bool]) -> list[AskedTensor]:
    """Returns the tensors of which a line asked that raised.

    Args:
        file: Of the program.
        line: That raised.
        frames: Those that hold the values of its names, the innermost first.
        is_tensor: Whether a value is a tensor.
    """
    found: dict[int, tuple[str, Any, list[str]]] = {}
    for name, value, what in _tensors("".join(linecache.getlines(file)), line, frames, is_tensor):
        found.setdefault(id(value), (name, value, []))[2].append(what)
    if len(found) > _MOST:
        return []
    return [AskedTensor(name, value, _joined(asked)) for name, value, asked in found.values()]


def _joined(asked: Sequence[str]) -> str:
    """What was asked of one tensor; its sizes are a part of its shape."""
    return " ".join(dict.fromkeys(each for each in asked if SHAPE not in asked or each in (SHAPE, DTYPE)))


def _tensors(
    text: str, line: int, frames: Sequence[FrameType], is_tensor: Callable[[Any], bool]
) -> Iterator[tuple[str, Any, str]]:
    for question in questions_at(text, line):
        for name, value in _values(question.tensor, frames):
            if is_tensor(value):
                yield name, value, question.what
                break


def _values(expression: ast.expr, frames: Sequence[FrameType]) -> Iterator[tuple[str, Any]]:
    """What a name, or a part of what one stands for, is in each of some frames."""
    names = [each.id for each in ast.walk(expression) if isinstance(each, ast.Name)]
    attributes = tuple(each.attr for each in ast.walk(expression) if isinstance(each, ast.Attribute))
    text = ast.unparse(expression)
    if len(names) != 1 or not text.startswith(names[0]):
        return
    part = text[len(names[0]) :]
    for frame in frames:
        value = values_of(frame, names)[names[0]]
        if value is not None:
            yield text, value if not part else dict(parts_of(value, attributes)).get(part)
