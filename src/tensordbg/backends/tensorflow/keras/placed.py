"""Has operations of functional Keras models stand at the line that put them in: `mean = total / count` of symbols.

Such a model runs its operations later, in a loop of Keras's own, with no line of the program on the stack but that of
`fit`. So each runs behind a function that stands, by its file, line and name, where the program put it into the model:
whoever asks for the stack, in a graph or eagerly, finds it there. Layers are left alone: they have names, and often
lines of their own.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import PurePath
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any
from weakref import WeakKeyDictionary

from tensordbg.backends.tensorflow.methods import Method, ReplacedMethods

_MODULE = "keras.src.ops.operation"
"""It has had `Operation.symbolic_call`, which makes a node of a model, and `Operation.__call__` since Keras 3.0."""

_BETWEEN = (("src", "ops"), ("src", "backend", "common"), ("src", "utils"))
"""The folders of Keras whose functions stand between a line of the program and the operation that it writes."""
_MOST_BETWEEN = 12

# The names of its variables are none that a program can have, so they are taken for no names of tensors.
_STANDING = (lambda plain, operation, args, kwargs: plain(operation, *args, **kwargs)).__code__.replace(
    co_varnames=(".plain", ".operation", ".args", ".kwargs")
)

Call = Callable[[Callable[..., Any], Any, tuple[Any, ...], dict[str, Any]], Any]


class PlacedOperations:
    """The hook into what functional models are put together of."""

    def __init__(self, is_user: Callable[[str], bool]) -> None:
        """`is_user` tells whether a file is the program's own."""
        self._is_user = is_user
        self._standing: WeakKeyDictionary[Any, Call] = WeakKeyDictionary()
        self._methods = ReplacedMethods(lambda _: contextlib.suppress(Exception))

    def install(self) -> None:
        """Looks on from now on, as soon as Keras is there."""
        self._methods.install(
            Method(_MODULE, "Operation.symbolic_call", self._noting),
            Method(_MODULE, "Operation.__call__", self._running),
        )

    def uninstall(self) -> None:
        """Takes the hooks out again."""
        self._methods.uninstall()

    def _noting(self, plain: Any) -> Any:
        def symbolic_call(operation: Any, *args: Any, **kwargs: Any) -> Any:
            with contextlib.suppress(Exception):
                frame = self._line_of(sys._getframe(1))  # noqa: SLF001
                if frame is not None:
                    self._standing.setdefault(operation, FunctionType(_at(frame), {}))
            return plain(operation, *args, **kwargs)

        return symbolic_call

    def _line_of(self, frame: FrameType | None) -> FrameType | None:
        """The frame of the program that writes an operation; None where something else makes it, such as loading."""
        for _ in range(_MOST_BETWEEN):
            if frame is None or self._is_user(frame.f_code.co_filename):
                return frame
            if not _stands_between(frame.f_code.co_filename):
                return None
            frame = frame.f_back
        return None

    def _running(self, plain: Any) -> Any:
        def __call__(operation: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807  it shows in tracebacks
            standing = self._standing.get(operation)
            if standing is None:
                return plain(operation, *args, **kwargs)
            try:
                return standing(plain, operation, args, kwargs)
            except Exception as error:  # noqa: BLE001  it is raised again
                # The program's error is as Keras raised it; `from` would hide what it came up in.
                raise error.with_traceback(_without(error.__traceback__, standing))  # noqa: B904

        return __call__


def _stands_between(file: str) -> bool:
    parts = PurePath(file).parts
    return "keras" in parts and any(
        parts[k : k + len(folder)] == folder for folder in _BETWEEN for k in range(len(parts))
    )


def _at(frame: FrameType) -> CodeType:
    """The code of a function that stands where a frame does now."""
    code = frame.f_code
    return _STANDING.replace(co_filename=code.co_filename, co_firstlineno=frame.f_lineno, co_name=code.co_name)


def _without(trace: TracebackType | None, standing: Call) -> TracebackType | None:
    """What of a traceback lies behind the function that stands for a line."""
    while trace is not None:
        behind = trace.tb_next
        if trace.tb_frame.f_code is standing.__code__:
            return behind
        trace = behind
    return None
