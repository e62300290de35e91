"""A tensor and what its elements come to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tensordbg.health.native import measure
from tensordbg.health.spec import MEASURABLE
from tensordbg.model import NONE, Health

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Measured:
    """A tensor and its health."""

    array: NDArray[Any]

    @cached_property
    def health(self) -> Health | None:
        """Its statistics, None where its dtype has none."""
        return measure(self.array) if self.array.dtype.name in MEASURABLE else None

    @property
    def bad_index(self) -> tuple[int, ...] | None:
        """Where its first element lies that is not finite, None where all are."""
        if self.health is None or self.health.first_bad == NONE:
            return None
        return (
            tuple(int(i) for i in np.unravel_index(self.health.first_bad, self.array.shape)) if self.array.ndim else ()
        )

    def element(self, index: tuple[int, ...], shape: tuple[int, ...]) -> Any:
        """The element that went into the element at `index` of an operation's output, None where that can't be told."""
        try:
            return np.broadcast_to(self.array, shape)[index]
        except ValueError:
            return None
