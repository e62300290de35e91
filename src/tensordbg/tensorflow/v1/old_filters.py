"""Filters as programs of TensorFlow 1 wrote them: functions of a datum and the tensor's elements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.view.records.rows import SeenTensor
from tensordbg.console.language.filters import Filters
from tensordbg.console.language.predicates import Predicate

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class TensorDatum:
    """A tensor as a filter sees it, under the names that `DebugTensorDatum` has."""

    seen: SeenTensor
    value: Array

    @property
    def node_name(self) -> str:
        """The name of the operation."""
        return self.seen.op_name

    @property
    def output_slot(self) -> int:
        """Which of its outputs it is."""
        return self.seen.slot

    @property
    def tensor_name(self) -> str:
        """`node:slot`."""
        return self.seen.tensor

    @property
    def debug_op(self) -> str:
        """As if TensorFlow's own operation had looked at it."""
        return "DebugIdentity"

    @property
    def watch_key(self) -> str:
        """`node:slot:DebugIdentity`."""
        return f"{self.tensor_name}:{self.debug_op}"

    @property
    def device_name(self) -> str:
        """Where it was computed."""
        return self.seen.device

    @property
    def timestamp(self) -> int:
        """Microseconds since 1970."""
        return self.seen.time_ns // 1000

    @property
    def dump_size_bytes(self) -> int:
        """The size of its elements."""
        return self.value.nbytes

    def get_tensor(self) -> Array:
        """Its elements."""
        return self.value


OldFilter = Callable[[TensorDatum, Array], Any]


def has_inf_or_nan(datum: Any, tensor: Any) -> bool:  # noqa: ARG001  as the old one is called
    """Whether a tensor has an infinity or a NaN; false of what is no array of numbers."""
    if not isinstance(tensor, (np.ndarray, np.generic)) or not np.issubdtype(tensor.dtype, np.number):
        return False
    return not bool(np.all(np.isfinite(tensor)))


def add_old_filter(filters: Filters, name: Any, wanted: Any) -> None:
    """Names a filter; `has_inf_or_nan` has its name already.

    Raises:
        TypeError: If the name is no text, or the filter can't be called.
        ValueError: If the name is empty.
        UsageError: If it can't be one of a filter.
    """
    if not isinstance(name, str):
        raise TypeError("Input argument filter_name is expected to be str, but is not.")
    if not name:
        raise ValueError("Input argument filter_name cannot be empty.")
    if not callable(wanted):
        raise TypeError("Input argument filter_callable is expected to be callable, but is not.")
    if wanted is not has_inf_or_nan or name != "has_inf_or_nan":
        filters.add(name, _adapted(wanted))


def _adapted(wanted: OldFilter) -> Predicate:
    def predicate(seen: SeenTensor, value: Array | None) -> bool:
        return value is not None and bool(wanted(TensorDatum(seen, value), value))

    return predicate
