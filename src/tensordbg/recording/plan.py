"""The plan of a recording: how much of each tensor, of which tensors, and for how long it is kept."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, field

from tensordbg.allowed import AllowRule
from tensordbg.errors import UsageError
from tensordbg.model import Detail
from tensordbg.recording.tensor_filter import TensorFilter
from tensordbg.recording.value_filter import ValueFilter
from tensordbg.trace.program.metadata import AS_TOLD, VALUE_FILE_BYTES

_SMALL_FILES = (2**16, 2**24)
"""The least and the most bytes of a file of values where only the last events are kept: it goes as a whole."""


@dataclass(frozen=True)
class Plan:
    """The request of one recording.

    Raises:
        UsageError: If `last` is negative, or more than any disk holds; `every` is less than 1, `overhead` is no
            share below 1, or both are given; or sketches are wanted and no health.
    """

    detail: Detail = Detail.HEALTH
    values: ValueFilter = field(default_factory=ValueFilter)
    """Which tensors are kept whole, where the detail is `values`."""
    last: int = 0
    """Only so many of the last executions, and of the last tensors of functions, are kept; 0 keeps all."""
    every: int = 1
    """Of each function, and of each place of an eager operation, one step in so many is recorded, the first one too."""
    overhead: float = 0.0
    """The share of the program's own time that recording may cost, which chooses the steps; 0 for no such bound."""
    tensors: TensorFilter = field(default_factory=TensorFilter)
    """Which tensors are recorded."""
    graphs: bool = False
    """Whether the graphs of functions are kept, as Python built them and as they run."""
    allow: tuple[AllowRule, ...] = ()
    """Where infinities are allowed."""
    sketch: bool = False
    """Whether the sum of magnitudes and four sums that depend on the order are measured of each tensor too."""

    def __post_init__(self) -> None:
        if not 0 <= self.last <= AS_TOLD:
            raise UsageError(f"the last {self.last} events can't be kept; give a number from 1, or 0 to keep all")
        if self.every < 1:
            raise UsageError(f"one step in {self.every} can't be recorded; give a number from 1, which records all")
        if self.sketch and self.detail not in (Detail.HEALTH, Detail.VALUES):
            raise UsageError(
                f"sketches are measured with health, not with {self.detail.value!r}; leave one of them out"
            )
        if not 0 <= self.overhead < 1:
            raise UsageError(f"recording can't cost {self.overhead:g} of the program's time; give a share such as 2%")
        if self.overhead and self.every > 1:
            raise UsageError("a step in so many and a budget of time both choose the steps; give one of them")

    @property
    def note(self) -> str:
        """A note on a trace that leaves out steps; empty if it has all."""
        if self.overhead:
            return (
                f"a budget of {100 * self.overhead:g} % of the program's time chose the steps that were recorded: "
                "where trouble began in between, it is seen first in what the next recorded step takes"
            )
        if self.every == 1:
            return ""
        return (
            f"one step in {self.every} was recorded: where trouble began in between, it is seen first in what the next "
            "recorded step takes"
        )

    def to_json(self) -> str:
        """Writes the plan as one word for the process that records."""
        own = {"detail": self.detail.value, "last": self.last, "every": self.every, "graphs": self.graphs}
        return json.dumps(
            own | {"overhead": self.overhead, "sketch": self.sketch, "values": json.loads(self.values.to_json())}
        )

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """The reverse of `to_json`."""
        row = json.loads(text)
        values = ValueFilter.from_json(json.dumps(row.pop("values")))
        return cls(Detail(row.pop("detail")), values, **row)

    @property
    def value_file_bytes(self) -> int:
        """How much of the kept values one file holds."""
        if not self.last:
            return VALUE_FILE_BYTES
        least, most = _SMALL_FILES
        return min(max(self.values.budget // 8, least), most) // least * least


def parse_share(text: float | str) -> float:
    """Reads a share of time, such as `2%` or `0.02`.

    Raises:
        UsageError: If it is none, or 0 in words.
    """
    if not isinstance(text, str):
        return text
    number, percent = (text[:-1], 100) if text.endswith("%") else (text, 1)
    with contextlib.suppress(ValueError):
        share = float(number) / percent
        if 0 < share < 1:
            return share
    raise UsageError(f"{text!r} is no share of the program's time; give one such as 2% or 0.02")
