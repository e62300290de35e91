"""A small computation that every backend records: what it is given, what NumPy makes of it, and what must be named."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.conformance import in_numpy

HERE = "# here"
"""Ends the line that must be named."""


@dataclass(frozen=True)
class Computation:
    """One of them; `compute` takes the words of a framework, then tensors."""

    compute: Callable[..., Any]
    given: tuple[Any, ...]
    cause: str = ""
    """Of the first operation that makes something not finite; empty where the result is finite."""
    expected: Any = None
    """The result, where NumPy's words can't compute it."""
    dtype: str = ""
    """The type that the first of what is given is cast to before."""
    variables: int = 0
    """So many of what is given, the first ones, are variables."""
    takes_nan: bool = True
    """Whether it can be given NaN."""
    cannot: Mapping[str, str] = field(default_factory=dict)
    """By way of running why that can't express it."""

    @property
    def name(self) -> str:
        """That of the function, and of the type."""
        return f"{self.compute.__name__}{f'[{self.dtype}]' if self.dtype else ''}"

    @property
    def line(self) -> int:
        """The number of the line that must be named: the marked one, else the last."""
        lines, first = inspect.getsourcelines(self.compute)
        marked = [number for number, line in enumerate(lines) if line.rstrip().endswith(HERE)]
        return first + (marked[0] if marked else len(lines) - 1)

    def reference(self, given: tuple[Any, ...]) -> Any:
        """What NumPy makes of it."""
        if self.expected is not None:
            return np.asarray(self.expected)
        with np.errstate(all="ignore"):
            first = in_numpy.cast(given[0], self.dtype) if self.dtype else np.array(given[0])
            return np.asarray(self.compute(in_numpy, first, *given[1:]))


ALL: list[Computation] = []


def computation(*given: Any, **known: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function into the list; `dtypes` enters it once for each type."""
    dtypes = known.pop("dtypes", ("",))

    def enter(compute: Callable[..., Any]) -> Callable[..., Any]:
        arrays = tuple(np.asarray(each, getattr(each, "dtype", np.float32)) for each in given)
        ALL.extend(Computation(compute, arrays, dtype=dtype, **known) for dtype in dtypes)
        return compute

    return enter
