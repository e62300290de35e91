"""Values of names in Python code that runs, as far as they are numbers or tensors. Nothing of it is called."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Iterable
from types import FrameType, ModuleType
from typing import Any

import numpy as np

from tensordbg.console.running import AtHand
from tensordbg.debug.at_hand import at_hand
from tensordbg.errors import UsageError

_NUMBERS = (bool, numbers.Number, np.ndarray, np.generic)


class FrameNames:
    """The names in one frame."""

    def __init__(self, frame: FrameType, elements: Callable[[Any], Any]) -> None:
        """`elements` gives what a tensor of the framework holds, None of anything else."""
        self._frame = frame
        self._elements = elements

    def value(self, name: str) -> Any:
        """The number, or the array, that a name such as `loss` or `self.loss` stands for.

        Raises:
            UsageError: If it stands for nothing of the kind.
        """
        found = self._find(name)
        if isinstance(found, _NUMBERS):
            return found
        if isinstance(found, (list, tuple)) and all(isinstance(each, _NUMBERS) for each in found):
            return list(found)
        value = self._elements(found)
        if value is None:
            raise UsageError(f"{name!r} is a {type(found).__name__} there, no number and no tensor")
        return value

    def shown(self, names: Iterable[str], most: int) -> tuple[AtHand, ...]:
        """Those of some names that stand for numbers or tensors, in words."""
        found = []
        for name in names:
            try:
                found.append(at_hand(name, self.value(name)))
            except UsageError:
                continue
        return tuple(found[:most])

    def _find(self, name: str) -> Any:
        first, *rest = name.split(".")
        scopes = (self._frame.f_locals, self._frame.f_globals)
        found = next((scope[first] for scope in scopes if first in scope), inspect.Parameter.empty)
        if found is inspect.Parameter.empty:
            raise UsageError(f"there is no {first!r} there yet")
        for attribute in rest:
            if isinstance(found, ModuleType):
                raise UsageError(f"{name!r} is no number and no tensor")
            try:
                # Properties would run code of the program.
                found = inspect.getattr_static(found, attribute)
            except AttributeError:
                raise UsageError(f"there is no {name!r} there yet") from None
        return found
