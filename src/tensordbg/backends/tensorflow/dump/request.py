"""The request of a call of `enable_dump_debug_info`, in TensorFlow's words, and its meaning for a recording.

TensorFlow's modes and the errors for bad arguments are those of TensorFlow 2.21, `debug/lib/dumping_callback.py`.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.model import Detail
from tensordbg.recording.plan import Plan
from tensordbg.recording.tensor_filter import TensorFilter

MODES: dict[str, Detail | None] = {
    "UNSPECIFIED": None,
    "NO_TENSOR": Detail.OPS,
    "CURT_HEALTH": Detail.HEALTH,
    "CONCISE_HEALTH": Detail.HEALTH,
    "FULL_HEALTH": Detail.HEALTH,
    "SHAPE": Detail.SHAPES,
    "FULL_NUMERICS": None,
    "FULL_TENSOR": Detail.VALUES,
    "REDUCE_INF_NAN_THREE_SLOTS": None,
}
"""How much each of TensorFlow's modes records, in TensorFlow's order; None: TensorFlow refuses it too."""

DType = Any
"""A `tf.DType`."""
Dtypes = Sequence[DType | str] | Callable[[DType], bool] | None


@dataclass(frozen=True)
class DumpRequest:
    """A call's arguments, checked."""

    root: str
    mode: str
    buffer_size: int
    filter: TensorFilter

    @property
    def folder(self) -> str:
        """Where the traces go, whatever the working directory will be."""
        return os.path.realpath(self.root)

    @property
    def plan(self) -> Plan:
        """The recording that is asked for."""
        detail = MODES[self.mode]
        assert detail is not None
        return Plan(detail, last=min(max(self.buffer_size, 0), 2**40), tensors=self.filter)


def check_root(root: str | os.PathLike[str] | None) -> str:
    """The dump root as it was given.

    Raises:
        ValueError: If it is empty, or not on a file system of this machine.
    """
    if not root:
        message = "Empty or None dump root"
        raise ValueError(message)
    path = os.fspath(root)
    if "://" in path:
        message = f"dump root {path!r} is not on a file system of this machine; give a local folder"
        raise ValueError(message)
    return path


def check_mode(mode: str) -> str:
    """The mode, if it is one that TensorFlow's own function takes.

    Raises:
        ValueError: If it is none of TensorFlow's.
        NotImplementedError: If TensorFlow refuses it.
    """
    if mode not in MODES:
        message = f"Invalid value in tensor_debug_mode ('{mode}'). Valid options are: {list(MODES)}"
        raise ValueError(message)
    if MODES[mode] is None:
        message = f"tfdbg dumping: support for tensor debug mode {mode} is not implemented yet"
        raise NotImplementedError(message)
    return mode


def check_buffer_size(size: int) -> int:
    """How many events are kept; 0 or less stands for all.

    Raises:
        TypeError: If it is no whole number.
    """
    return operator.index(size)


def make_filter(op_regex: str | None, tensor_dtypes: Dtypes) -> TensorFilter:
    """The filter that two of the arguments make together.

    Raises:
        ValueError: If the dtypes are neither a list or tuple nor a callable.
        TypeError: If one of them is no dtype.
        re.error: If the pattern is no regular expression.
    """
    return TensorFilter(op_regex or "", _chosen(tensor_dtypes))


def _chosen(wanted: Dtypes) -> frozenset[int] | None:
    """The numbers of the dtypes as in a trace; None stands for all."""
    import tensorflow as tf  # imported by the program already, or about to be

    if wanted is not None and not isinstance(wanted, (list, tuple)) and not callable(wanted):
        message = (
            "If specified, tensor_dtypes is expected to be a list, a tuple, or a callable that takes a DType argument "
            f"and returns a boolean, but received {wanted}"
        )
        raise ValueError(message)
    if not wanted:
        return None
    if not callable(wanted):
        enums = {tf.dtypes.as_dtype(each).as_datatype_enum for each in wanted}
        return frozenset(dtypes.TRACE_NUMBERS[enum] for enum in enums if enum in dtypes.TRACE_NUMBERS)
    chosen = set()
    for enum in dtypes.RECORDED:
        # It is asked about dtypes that the program may never use; one it can't answer for is not wanted.
        with suppress(Exception):
            if wanted(tf.dtypes.as_dtype(enum)):
                chosen.add(dtypes.TRACE_NUMBERS[enum])
    return frozenset(chosen)
