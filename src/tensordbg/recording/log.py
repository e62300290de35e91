"""The event log as Python sees it: a thin layer over the compiled one.

The methods are those of `native/log_binding.cpp`; they are called for every eager operation, so they are bound once and
do no checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tensordbg import _native
from tensordbg.model import FIRST_VARIABLE_INPUT, Detail
from tensordbg.trace.program.metadata import RECENT_SEGMENT_RECORDS, SEGMENT_RECORDS, VALUE_FILE_BYTES

UNKNOWN_INPUT = -1
NO_FUNCTION = 0xFFFFFFFF

_DETAIL_NUMBERS = {Detail.OPS: 0, Detail.SHAPES: 1, Detail.HEALTH: 2, Detail.VALUES: 3}


def input_reference(execution: int, slot: int) -> int:
    """How an execution's record names an input: the execution that made it, and the slot."""
    return execution << 16 | slot


def made_by(reference: int) -> tuple[int, int]:
    """The execution that made an input, and the slot, from what `input_reference` gave."""
    return reference >> 16, reference & 0xFFFF


def variable_reference(variable: int) -> int:
    """How an execution's record names an input that is the handle of a variable."""
    return FIRST_VARIABLE_INPUT - variable


@dataclass(frozen=True)
class ValueStatus:
    """The fate of the values of tensors that were to be kept whole."""

    kept_bytes: int
    refused: int
    """How many tensors were not kept since the budget was used up or a write failed."""
    failure: str
    """Why a write failed; empty if none did."""


class EventLog:
    """Appends events to the segments of one trace; there is at most one open log in a process."""

    begin_execution = staticmethod(_native.begin_execution)
    """(site, function, step, inputs, failed=False) -> the execution's number."""
    end_execution = staticmethod(_native.end_execution)
    """(execution, failed)."""
    append_tensor = staticmethod(_native.append_tensor)
    """(execution, site, slot, dtype, device, array) -> whether it is known not to be finite: `array` has the buffer
    protocol and is C-contiguous."""
    append_summary = staticmethod(_native.append_summary)
    """(execution, site, slot, dtype, device, dims, summary) -> the same: `summary` is TensorFlow's FULL_HEALTH, or
    empty."""
    device = staticmethod(_native.intern_device)
    """(name) -> number."""

    choose_values = staticmethod(_native.choose_values)
    """(sites, kept): keeps the values of these sites from now on, or no longer."""
    watch_sites = staticmethod(_native.watch_sites)
    """(sites, fatal): keeps their first tensors that hold what is fatal to who takes them, see `FirstBadChoice`."""
    watch_operand = staticmethod(_native.watch_operand)
    """(site, operand, fatal): the same of what an eager site is given."""
    mute = staticmethod(_native.mute_sites)
    """(sites, muted=True): records no tensors of these sites, or records them again."""
    choose_dtypes = staticmethod(_native.choose_dtypes)
    """(mask): records only tensors of dtypes whose bit is set."""
    pause = staticmethod(_native.pause)
    """Records no tensors until `go_on` is called; pauses may overlap."""
    go_on = staticmethod(_native.go_on)
    """Ends a pause."""
    keep_sketches = staticmethod(_native.keep_sketches)
    """Records the sketch of each tensor too; called before anything is recorded."""
    keep_all = staticmethod(_native.keep_all)
    """Of a log with `last`: what is there stays for good, and the counting begins anew."""
    forget = staticmethod(_native.forget)
    """(begin, end): of a log with `last`, drops what was appended as number `begin` up to and without `end`."""

    def __init__(
        self,
        folder: Path,
        detail: Detail,
        value_budget: int = 0,
        value_file_bytes: int = VALUE_FILE_BYTES,
        last: int = 0,
        first_bad_budget: int = 0,
    ) -> None:
        """Opens the log of a trace.

        Args:
            folder: Of the trace.
            detail: How much is recorded.
            value_budget: Bytes that kept values may take.
            value_file_bytes: How much of them one file holds.
            last: Only so many of the last executions, and of the last tensors of graphs, are kept; 0 keeps all.
            first_bad_budget: Bytes that the elements of the first bad tensors may take beside; 0 keeps none.

        Raises:
            RuntimeError: If it can't be written, or another one is open.
        """
        segment = RECENT_SEGMENT_RECORDS if last else SEGMENT_RECORDS
        number = _DETAIL_NUMBERS[detail]
        _native.open_log(str(folder), segment, number, value_budget, value_file_bytes, last, first_bad_budget)

    def append_strings(self, made_by: tuple[int, int, int], device: int, shape: list[int], texts: list[bytes]) -> None:
        """Records a tensor of strings, made by (execution, site, slot)."""
        _native.append_strings(*made_by, device, shape, texts)

    def close(self) -> None:
        """Appends nothing from now on."""
        _native.close_log()

    def values(self) -> ValueStatus:
        """The fate of the values so far."""
        return ValueStatus(*(_native.value_status() or (0, 0, "")))

    def appended(self) -> int:
        """How many records were appended; the next one bears the number after this."""
        status = _native.log_status()
        return int(status[0]) if status is not None else 0

    def failure(self) -> str:
        """Why the log stopped growing; empty while it grows."""
        status = _native.log_status()
        return str(status[2]) if status is not None else ""

    def dropped(self) -> int:
        """How many events were dropped since then."""
        status = _native.log_status()
        return int(status[1]) if status is not None else 0

    def bad(self) -> int:
        """How many tensors were recorded that are not finite, as far as they were measured."""
        status = _native.log_status()
        return int(status[3]) if status is not None else 0

    def take_largest(self) -> float:
        """The largest magnitude in a tensor of floating-point numbers since this was last asked for; 0 if none was."""
        return _native.take_largest()
