"""Finds the `backward` of a program's own `autograd.Function` that gave gradients which PyTorch refuses.

PyTorch's engine calls it and looks at its gradients when it has returned: the traceback ends at the backward pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import CodeType
from typing import Any

_REFUSED = re.compile(r"\b[Ff]unction (?P<name>\w+)Backward returned an? (?:incorrect number of|invalid) gradient")
_MOST = 1000
"""So many classes are looked at."""


def backward_behind(message: str) -> tuple[str, int, str] | None:
    """The file, line and name of the function; None of any other message, and where several bear the name."""
    told = _REFUSED.search(message)
    if told is None:
        return None
    found = {each for each in map(_backward, _functions()) if each is not None and each[0] == told["name"]}
    return next(iter(found))[1] if len(found) == 1 else None


def _functions() -> Iterator[Any]:
    from torch.autograd import Function

    waiting: list[Any] = list(Function.__subclasses__())
    for _ in range(_MOST):
        if not waiting:
            return
        each = waiting.pop()
        yield each
        waiting += type.__subclasses__(each)


def _backward(function: Any) -> tuple[str, tuple[str, int, str]] | None:
    code = getattr(function.__dict__.get("backward"), "__func__", None)
    code = getattr(code, "__code__", None)
    if not isinstance(code, CodeType):
        return None
    return function.__name__, (code.co_filename, code.co_firstlineno, f"{function.__name__}.{code.co_name}")
