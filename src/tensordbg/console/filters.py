"""Filters of tensors: named ones, conditions such as `Log* : min < 0`, and functions of the user.

non_finite                      has_inf_or_nan, the old name, means the same
Log* : min < 0                  a pattern of the tensor's name, and a condition on its statistics
loss : nan
gradient/* : std > 10 and not (Relu* : zero == size)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy.typing as npt

from tensordbg.analysis.reading import Ints
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.rows import SeenTensor

Array = npt.NDArray[Any]

Predicate = Callable[[SeenTensor, "Array | None"], bool]
"""A user's filter: given a tensor, and its elements, None where they were not kept, whether it passes."""


class Filter(Protocol):
    """Which tensors of a trace are wanted."""

    @property
    def text(self) -> str:
        """The filter as it was typed."""

    def passing(self, opened: OpenedTrace, events: Ints) -> Ints:
        """Those of some events, given by number, that pass, in the same order."""


@dataclass(frozen=True)
class Filters:
    """The filters that have a name; `parse` knows these and conditions."""

    own: dict[str, Predicate] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """All names, those of the user first."""
        raise NotImplementedError

    def add(self, name: str, predicate: Predicate) -> None:
        """Names a filter of the user; one of the same name is replaced.

        Raises:
            UsageError: If the name can't be one of a filter.
        """
        raise NotImplementedError

    def add_file(self, path: Path) -> Iterable[str]:
        """Runs a Python file; each public function in it that takes two arguments becomes a filter.

        Returns:
            Their names.

        Raises:
            UsageError: If there is no such file, it raises, or has no such function.
        """
        raise NotImplementedError

    def parse(self, text: str) -> Filter:
        """Reads a filter.

        Raises:
            UsageError: If it is not understood; names the nearest filter where there is one.
        """
        raise NotImplementedError
