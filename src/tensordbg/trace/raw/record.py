"""The layout of one raw event in a segment, as NumPy reads it.

The same 256 bytes are declared in `native/record.h`; a test compares the two.
"""

from __future__ import annotations

import enum

import numpy as np

RECORD_SIZE = 256
MAX_DIMS = 22
MAX_INPUTS = 24


class RecordKind(enum.IntEnum):
    """The kind of a record."""

    GRAPH_TENSOR = 1
    """A tensor seen by the probe operation inside a graph; `owner` is the runtime's step id."""
    EAGER_TENSOR = 2
    """A tensor handed over from Python; `owner` is the execution."""
    EXECUTION_BEGIN = 3
    """An execution starts; `inputs` holds its first inputs."""
    EXECUTION_INPUTS = 4
    """More inputs of the execution that `owner` names."""
    EXECUTION_END = 5


class RecordFlag(enum.IntFlag):
    """The bits of a record's `flags`.

    The last three are for tensors that were measured in part, by another program; `HEALTH` stands for all of them.
    """

    HEALTH = 1
    """The statistics were measured."""
    FUNCTION = 2
    """The execution is the call of a function, not of one operation."""
    MANY_DIMS = 4
    """The rank exceeds `MAX_DIMS`: the last dimension holds the product of the rest."""
    FAILED = 8
    """The execution ended with an exception."""
    SIZE = 16
    """The number of elements is known, also where the shape is not."""
    FINITENESS = 32
    """`first_bad` says whether all are finite."""
    SPECIALS = 64
    """Infinities and NaNs were counted."""
    SIGNS = 128
    """Negative elements and zeros were counted; `SPECIALS` is set too."""


_COMMON = [
    ("sequence", "<u8"),
    ("time_ns", "<i8"),
    ("owner", "<i8"),
    ("frame", "<u8"),
    ("iteration", "<i8"),
    ("site", "<u4"),
    ("path", "<u4"),
    ("thread", "<u4"),
    ("function", "<u4"),
    ("slot", "<u2"),
    ("device", "<u2"),
    ("kind", "u1"),
    ("dtype", "u1"),
    ("rank", "u1"),
    ("flags", "u1"),
]

TENSOR_RECORD = np.dtype(
    [
        *_COMMON,
        ("size", "<i8"),
        ("negative", "<i8"),
        ("zero", "<i8"),
        ("neg_inf", "<i8"),
        ("pos_inf", "<i8"),
        ("nan", "<i8"),
        ("subnormal", "<i8"),
        ("first_bad", "<i8"),
        ("min", "<f8"),
        ("max", "<f8"),
        ("sum", "<f8"),
        ("sum_squares", "<f8"),
        ("value_position", "<i8"),  # where the elements lie in `values/`, + 1; 0 where they were not kept
        ("dims", "<u4", (MAX_DIMS,)),
    ]
)
"""A record whose kind is one of the two tensor kinds."""

EXECUTION_RECORD = np.dtype([*_COMMON, ("inputs", "<i8", (MAX_INPUTS,))])
"""A record whose kind is one of the three execution kinds; `inputs` are as in the table `executions`."""

assert TENSOR_RECORD.itemsize == EXECUTION_RECORD.itemsize == RECORD_SIZE
