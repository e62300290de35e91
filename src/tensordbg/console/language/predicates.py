"""Filters that a user writes in Python: functions of a tensor and its elements, given by the API or in a file."""

from __future__ import annotations

import inspect
import runpy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.view.records.rows import SeenTensor
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.console.language.conditions import FilteredTrace

Array = npt.NDArray[Any]

Predicate = Callable[[SeenTensor, "Array | None"], Any]
"""Given a tensor, and its elements, None where they were not kept, whether it passes."""

_PIECE = 1000


@dataclass(frozen=True)
class OwnTest:
    """A user's function as a test; it is called for one tensor after the other."""

    name: str
    predicate: Predicate

    def holds(self, opened: FilteredTrace, events: Ints) -> Bools:
        """For which of some events the function says yes.

        Raises:
            UsageError: If it raises.
        """
        found = np.zeros(len(events), dtype=np.bool_)
        for begin in range(0, len(events), _PIECE):
            for place, row in enumerate(opened.rows(events[begin : begin + _PIECE]), begin):
                found[place] = self._passes(opened, row)
        return found

    def _passes(self, opened: FilteredTrace, row: SeenTensor) -> bool:
        elements = opened.value(row.event) if row.kept else None
        try:
            return bool(self.predicate(row, elements))
        except Exception as error:
            said = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise UsageError(f"the filter {self.name!r} raised at {row.tensor}: {said}; fix it") from error


def read_predicates(path: Path) -> Mapping[str, Predicate]:
    """The filters in a Python file: its own public functions that take two arguments.

    Raises:
        UsageError: If there is no such file, it raises, or holds no such function.
    """
    if not path.is_file():
        raise UsageError(f"{path}: is not there; name a Python file with functions (tensor, value) -> bool")
    try:
        defined = runpy.run_path(str(path))
    except Exception as error:
        raise UsageError(f"{path}: raised {type(error).__name__}: {' '.join(str(error).split())}; fix it") from error
    found = {
        name: value
        for name, value in defined.items()
        if inspect.isfunction(value) and value.__code__.co_filename == str(path)
        and not name.startswith("_") and _takes_two(value)
    }  # fmt: skip
    if not found:
        raise UsageError(f"{path}: holds no function (tensor, value) -> bool; define one, without _ before its name")
    return found


def _takes_two(function: Callable[..., Any]) -> bool:
    kinds = [parameter.kind for parameter in inspect.signature(function).parameters.values()]
    return len(kinds) == 2 and all(kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for kind in kinds)
