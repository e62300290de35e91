"""Names of operations of a backward pass: the type and the name of the operation that is differentiated.

TensorFlow computes the gradient of `Log` in a Python function `_LogGrad`, which stands in the stack of every operation
that it makes; and its older differentiation names what it makes `gradients/Log_grad/Reciprocal`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tensordbg.model import Frame

_FILE = re.compile(r"/ops/\w*grad\w*\.py$")
_FUNCTION = re.compile(r"_?(\w+?)Grad(?:V2)?$")
_DIFFERENTIATION = re.compile(r"/(eager/backprop|ops/gradients_util|ops/gradients_impl)\.py$")
_GRADIENT_SCOPE = re.compile(r"(^|/)(gradient_tape|gradients)(_\d+)?/")
_SCOPE = re.compile(r"(?:^|/)gradients(?:_\d+)?/(.+?)_grad(?:_\d+)?/")


def in_gradient_scope(name: str) -> bool:
    """Whether the name of an operation of a graph lies in a scope that automatic differentiation opens."""
    return _GRADIENT_SCOPE.search(name) is not None


def is_backward_function(runtime_name: str) -> bool:
    """Whether a function is the backward pass of another."""
    return "__backward_" in runtime_name


def differentiates(frame: Frame) -> bool:
    """Whether a line of a stack is the framework's, which takes gradients there."""
    return (
        frame.function.lower().startswith(("gradient", "_gradient"))
        and _DIFFERENTIATION.search(_posix(frame)) is not None
    )


def computed_by_program(frames: Iterable[Frame]) -> bool:
    """Whether the program's own code computes something while gradients are taken.

    That is a custom gradient, or a part of the forward pass that is computed once more for its gradient.
    """
    differentiating = own = False
    for frame in frames:
        differentiating |= differentiates(frame)
        own = differentiating and not differentiates(frame) and (own or frame.user)
    return own


def differentiated_type(frames: Sequence[Frame]) -> str:
    """The type of the operation whose gradient is computed in a stack, in lower case; empty where none is told."""
    for frame in reversed(frames):
        found = _FUNCTION.match(frame.function) if _FILE.search(_posix(frame)) else None
        if found is not None:
            return found[1].lower()
    return ""


def differentiated_name(name: str) -> str:
    """The name of the operation whose gradient an operation computes, from its own; empty where none is told."""
    inner = name
    while (found := _SCOPE.search(inner)) is not None:
        rest = inner[found.end() :]
        if _SCOPE.search(rest) is None:
            return found[1]
        inner = rest
    return ""


def _posix(frame: Frame) -> str:
    return frame.file.replace("\\", "/")
