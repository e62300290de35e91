"""The line at which a generator of the program hands out elements, for the operation by which a dataset calls it.

A dataset asks a generator for its elements through an operation that calls Python. It is made where
`tf.data.Dataset.from_generator` stands, or Keras' `fit`; what it puts out is made at the `yield`, or in `__getitem__`.
Nothing of the program runs to find that out: its functions and their text are read.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tensordbg.backends.tensorflow.internals import tf_decorator
from tensordbg.backends.tensorflow.tracing.arguments import code_of
from tensordbg.operations.pipeline_names import ASKS_GENERATOR
from tensordbg.packages import is_among_packages
from tensordbg.recording.assigned_lines import Scope, block_of, own_nodes
from tensordbg.recording.catalog import RawFrame

_TAKES = "from_generator"
_DEEPEST = 60
_LONGEST_TEXT = 2_000_000


def handed_out_at(name: str, frame: FrameType | None) -> RawFrame | None:
    """Where the elements are handed out for which a function is traced; None where that is not known.

    Args:
        name: Of the function.
        frame: In which it is traced.
    """
    code = _handing_out(frame) if ASKS_GENERATOR in name else None
    if code is None or is_among_packages(code.co_filename):
        return None
    return code.co_filename, _line(code), code.co_name


def _handing_out(frame: FrameType | None) -> CodeType | None:
    """The code of the generator function that a dataset is made of, or the `__getitem__` of what Keras was given."""
    for _ in range(_DEEPEST):
        if frame is None:
            return None
        given = frame.f_locals.get("generator")
        if frame.f_code.co_name.endswith(_TAKES) and callable(given):
            code = _generator_code(given)
            if code is not None and not is_among_packages(code.co_filename):
                return code
        batches = getattr(frame.f_locals.get("self"), "py_dataset", None)
        if batches is not None and is_among_packages(frame.f_code.co_filename):
            return getattr(getattr(type(batches), "__getitem__", None), "__code__", None)
        frame = frame.f_back
    return None


def _generator_code(function: Any) -> CodeType | None:
    """The code of a generator function, or of the only one that a function calls by its name."""
    _, plain = tf_decorator.unwrap(function)
    code = code_of(plain)
    if code is None or code.co_flags & inspect.CO_GENERATOR:
        return code
    found = {each for value in _mentioned(plain, code) if (each := code_of(value)) is not None}
    generators = [each for each in found if each.co_flags & inspect.CO_GENERATOR]
    return generators[0] if len(generators) == 1 else None


def _mentioned(function: Any, code: CodeType) -> Iterator[Any]:
    """The functions whose names stand in another."""
    names = getattr(function, "__globals__", {})
    yield from (names[name] for name in code.co_names if inspect.isfunction(names.get(name)))
    for cell in getattr(function, "__closure__", None) or ():
        with contextlib.suppress(ValueError):  # it is empty
            if inspect.isfunction(cell.cell_contents):
                yield cell.cell_contents


def _line(code: CodeType) -> int:
    """That of the only `yield` or `return`; where there are several, of the function."""
    with contextlib.suppress(OSError, UnicodeDecodeError, SyntaxError, ValueError, RecursionError):
        text = Path(code.co_filename).read_text(encoding="utf-8")
        block = (
            block_of(ast.parse(text), Scope(code.co_name, code.co_firstlineno)) if len(text) <= _LONGEST_TEXT else ()
        )
        kinds = (ast.Yield, ast.YieldFrom) if code.co_flags & inspect.CO_GENERATOR else (ast.Return,)
        lines = [node.lineno for node in own_nodes(block or ()) if isinstance(node, kinds)]
        if len(lines) == 1:
            return lines[0]
    return code.co_firstlineno
