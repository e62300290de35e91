"""Changes to a captured step of PyTorch's: of inputs, variables, and what operations give."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensordbg.backends.torch.captured.graph import StepGraph
from tensordbg.backends.torch.captured.places import Place
from tensordbg.capture.tensors import Array
from tensordbg.enumeration import first_few
from tensordbg.errors import UsageError
from tensordbg.replaying.changes import Change, ClipGradients, ClipTensor, SetTensor

_NAMED = re.compile(r"(?P<name>aten::\w+)(?::(?P<slot>\d+))?(?:@(?:(?P<file>[^@:]+):)?(?P<line>\d+))?\Z")
"""An operation in a line of the program: `aten::log:0@train.py:17`."""


@dataclass(frozen=True)
class _Wanted:
    numbers: frozenset[int]
    """Of operations."""
    slot: int
    change: SetTensor | ClipTensor


class Changes:
    """The changes of one replay."""

    def __init__(self, changes: Sequence[Change], graph: StepGraph, places: Sequence[Place]) -> None:
        """Sorts them; `apply_to` and `apply_behind` make them."""
        self._graph = graph
        self._places = places
        self.norms = [each.norm for each in changes if isinstance(each, ClipGradients)]
        """To which all gradients are clipped."""
        self._named = [each for each in changes if not isinstance(each, ClipGradients)]
        self._wanted: list[_Wanted] = []

    def apply_to(self, given: dict[str, Array], variables: dict[str, Array]) -> None:
        """Changes inputs and variables, and remembers what is to be changed of operations.

        Raises:
            UsageError: If nothing bears a name, or it can't be changed so.
        """
        for each in self._named:
            if each.name in given:
                given[each.name] = each.apply(given[each.name])
            elif each.name in variables:
                variables[each.name] = each.apply(variables[each.name])
            else:
                self._wanted.append(self._operation(each, [*given, *variables]))
        if self.norms and not any(each.role == "gradient" for each in self._graph.targets):
            raise UsageError("the step has no gradients that are known, so they can't be clipped; clip NAME:MIN:MAX")

    def apply_behind(self, number: int, results: list[Any]) -> None:
        """Changes what an operation has given."""
        for each in self._wanted:
            if number in each.numbers and each.slot < len(results):
                _change(results[each.slot], each.change)

    def clip(self, gradients: Sequence[Any]) -> None:
        """Scales gradients where the norm of all is too large."""
        for norm in self.norms:
            squares = sum(float(each.double().square().sum()) for each in gradients)
            now = math.sqrt(squares) if squares >= 0 else squares
            if not now <= norm:
                for each in gradients:
                    each.mul_(norm / now)

    def _operation(self, change: SetTensor | ClipTensor, known: Sequence[str]) -> _Wanted:
        told = _NAMED.match(change.name)
        if told is None:
            raise UsageError(_unknown(change.name, known))
        found = [
            (number, self._line(number))
            for number, each in enumerate(self._graph.operations)
            if each.name == told["name"] and self._is_at(number, told["file"], told["line"])
        ]
        if not found:
            raise UsageError(
                _unknown(change.name, [*known, *dict.fromkeys(each.name for each in self._graph.operations)])
            )
        if isinstance(change, SetTensor) and change.row is not None:
            raise UsageError(f"{change.name} is computed, so its rows can't be set one by one; set all of it")
        lines = list(dict.fromkeys(line for _, line in found))
        if len(lines) > 1:
            named = first_few([f"{told['name']}@{line}" for line in lines], 5)
            raise UsageError(f"{change.name} stands in {len(lines)} lines; name one of {named}")
        return _Wanted(frozenset(number for number, _ in found), int(told["slot"] or 0), change)

    def _line(self, number: int) -> str:
        file, line = user_line(self._places[number])
        return f"{file.rpartition('/')[2]}:{line}"

    def _is_at(self, number: int, file: str | None, line: str | None) -> bool:
        there, at = user_line(self._places[number])
        named = file is None or there == file or there.endswith(f"/{file}")
        return named and (line is None or int(line) == at)


def user_line(place: Place) -> tuple[str, int]:
    """The line of the program that an operation stands in."""
    return next(((file, line) for file, line, _ in place.user), ("?", 0))


def _change(tensor: Any, change: SetTensor | ClipTensor) -> None:
    import torch

    if isinstance(change, ClipTensor):
        tensor.clamp_(change.low, change.high)
        return
    try:
        tensor.copy_(torch.from_numpy(np.array(change.value)).expand(tensor.shape))
    except RuntimeError:
        shape = list(tensor.shape)
        raise UsageError(f"{change.name} has the shape {shape}, for which this does not fit; set a number") from None


def _unknown(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "`tdbg capture show` and `tdbg ls` on a replay list them"
    return f"the step has no input, variable or operation {name!r}; {hint}"


def named(arrays: Mapping[int, Array], names: Mapping[int, str]) -> dict[str, Array]:
    """Arrays by the names of their numbers."""
    return {names[number]: array for number, array in arrays.items() if number in names}
