"""The signature that a Python function was traced for: its definition, and the value given for each parameter."""

from __future__ import annotations

import contextlib
import json
import weakref
from collections import defaultdict
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from tensordbg.backends.tensorflow.internals import loop_and_branch_graphs, tf_decorator
from tensordbg.recording.usercode import UserCode

_LONGEST = 60
"""So many characters of a value are kept."""


@dataclass(frozen=True, eq=False)
class PythonFunction:
    """A Python function that is traced; all its traces share this, so it is the key under which steps are counted."""

    number: int
    file: str
    line: int
    """Of the definition, 0 where it is not known."""


@dataclass
class _Definition:
    """The functions that were made at one place of a source file and traced."""

    alive: list[weakref.ref[Any]] = field(default_factory=list)
    gone: int = 0

    def add(self, function: Any) -> int:
        """Enters one more; returns how many of those before it exist no longer."""
        before = len(self.alive)
        self.alive = [known for known in self.alive if known() is not None]
        self.gone += before - len(self.alive)
        if not any(known() is function for known in self.alive):
            self.alive.append(weakref.ref(function))
        return self.gone


@dataclass(frozen=True)
class _Traced:
    python: PythonFunction
    gone: int


class Tracings:
    """Knows for each graph the Python function that it was traced from."""

    def __init__(self, user_code: UserCode) -> None:
        self._user_code = user_code
        self._by_plain: weakref.WeakKeyDictionary[Any, PythonFunction] = weakref.WeakKeyDictionary()
        self._definitions: defaultdict[tuple[str, int], _Definition] = defaultdict(_Definition)
        self._of_graph: weakref.WeakKeyDictionary[Any, _Traced] = weakref.WeakKeyDictionary()
        self._count = 0

    def keep(self, graph: Any, function: Any) -> None:
        """Notes that `graph` was traced from a Python function, which may be wrapped."""
        known = self._known(function)
        gone = 0
        if not isinstance(graph, loop_and_branch_graphs()):
            # The wrapper is the tf.function's own, also where several are made of one Python function.
            gone = self._definitions[known.file, known.line].add(function)
        self._of_graph[graph] = _Traced(known, gone)

    def _known(self, function: Any) -> PythonFunction:
        _, plain = tf_decorator.unwrap(function)
        with contextlib.suppress(TypeError):  # an object to which nothing can refer weakly
            if plain in self._by_plain:
                return self._by_plain[plain]
        code = code_of(plain)
        known = PythonFunction(self._count, *(("", 0) if code is None else (code.co_filename, code.co_firstlineno)))
        self._count += 1
        with contextlib.suppress(TypeError):
            self._by_plain[plain] = known
        return known

    def python_function(self, graph: Any) -> PythonFunction | None:
        """The Python function that a graph was traced from."""
        traced = self._of_graph.get(graph)
        return None if traced is None else traced.python

    def describe(self, graph: Any, function_type: Any) -> str:
        """The text of `Function.tracing` for the function made from a graph; empty for a part of another."""
        traced = self._of_graph.get(graph)
        if traced is None or function_type is None or isinstance(graph, loop_and_branch_graphs()):
            return ""
        python = traced.python
        return json.dumps(
            {
                "python": python.number,
                "file": python.file,
                "line": python.line,
                "user": bool(python.line) and self._user_code.is_user(python.file),
                "parameters": {
                    name: _described(parameter.type_constraint) for name, parameter in function_type.parameters.items()
                },
                "gone": traced.gone,
            }
        )


def code_of(function: Any) -> CodeType | None:
    """Where a function, a method, a partial or an object that can be called is defined."""
    for _ in range(10):
        if hasattr(function, "__wrapped__"):  # as functools.wraps leaves it
            function = function.__wrapped__
            continue
        code = getattr(function, "__code__", None)
        if isinstance(code, CodeType):
            return code
        inner = getattr(function, "__func__", None) or getattr(function, "func", None)
        function = inner or type(function).__call__
    return None


def _described(given: Any) -> dict[str, Any]:
    """What was given for one parameter, as TensorFlow tells one type of argument from another."""
    kind = type(given).__name__
    if kind == "TensorSpec":
        return {"kind": "tensor", "text": _text(given), "dtype": given.dtype.name, "shape": _shape(given)}
    if kind == "Literal":
        return {"kind": "value", "text": _text(given)}
    if kind == "Weakref":
        return {"kind": "object", "text": _text(given)}
    return {"kind": "structure", "text": _text(given)}


def _text(given: Any) -> str:
    """A type of argument in a few words; what is not known is written as TensorFlow writes it."""
    kind = type(given).__name__
    if kind in {"TensorSpec", "VariableSpec"} and hasattr(given, "dtype"):
        variable = "variable " if kind == "VariableSpec" else ""
        return f"{variable}{given.dtype.name}{_shape(given)}"
    if kind == "Literal":
        return _short(repr(given.value))
    if kind == "Weakref":
        return _object_text(given)
    if kind == "Tuple" and hasattr(given, "components"):
        return _short("(" + ", ".join(map(_text, given.components)) + ")")
    if kind == "List" and hasattr(given, "components_tuple"):
        return _short("[" + ", ".join(map(_text, given.components_tuple.components)) + "]")
    if kind == "Dict" and hasattr(given, "mapping"):
        return _short("{" + ", ".join(f"{key!r}: {_text(value)}" for key, value in given.mapping.items()) + "}")
    return _short(repr(given))


def _object_text(given: Any) -> str:
    value = given.placeholder_value(None)
    return f"{type(value).__name__} object at {id(value):#x}"


def _shape(tensor: Any) -> str:
    if tensor.shape.rank is None:
        return "[...]"
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in tensor.shape.as_list()) + "]"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
