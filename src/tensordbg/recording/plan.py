"""What is to be recorded: how much of each tensor, of which tensors, and for how long it is kept."""

from __future__ import annotations

from dataclasses import dataclass, field

from tensordbg.allowed import AllowRule
from tensordbg.errors import UsageError
from tensordbg.model import Detail
from tensordbg.recording.tensor_filter import TensorFilter
from tensordbg.recording.value_filter import ValueFilter
from tensordbg.trace.metadata import VALUE_FILE_BYTES

_MOST = 2**40
"""So many events fit on no disk."""

_SMALL_FILES = (2**16, 2**24)
"""The least and the most bytes of a file of values where only the last events are kept: it goes as a whole."""


@dataclass(frozen=True)
class Plan:
    """What one recording is asked for.

    Raises:
        UsageError: If `last` is negative, or more than any disk holds.
    """

    detail: Detail = Detail.HEALTH
    values: ValueFilter = field(default_factory=ValueFilter)
    """Which tensors are kept whole, where the detail is `values`."""
    last: int = 0
    """Only so many of the last executions, and of the last tensors of functions, are kept; 0 keeps all."""
    tensors: TensorFilter = field(default_factory=TensorFilter)
    """Which tensors are recorded."""
    graphs: bool = False
    """Whether the graphs of functions are kept, as Python built them and as they run."""

    allow: tuple[AllowRule, ...] = ()
    """Where infinities are meant."""

    def __post_init__(self) -> None:
        if not 0 <= self.last <= _MOST:
            raise UsageError(f"the last {self.last} events can't be kept; give a number from 1, or 0 to keep all")

    @property
    def value_file_bytes(self) -> int:
        """How much of the kept values one file holds."""
        if not self.last:
            return VALUE_FILE_BYTES
        least, most = _SMALL_FILES
        return min(max(self.values.budget // 8, least), most) // least * least
