"""Looks up what is known of a type of operation, by its framework; what was found is kept."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from tensordbg.operations import tensorflow, torch
from tensordbg.operations.frameworks import TENSORFLOW, TORCH
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Operation
from tensordbg.operations.table import Table
from tensordbg.operations.traits import Trait

INPUT = "Input"
"""The type of the site of a value that came in from Python, in each framework."""

TABLES: Mapping[str, Table] = MappingProxyType({TENSORFLOW: tensorflow.TABLE, TORCH: torch.TABLE})
"""By the name of the framework."""

NUMBER = "Number"
"""The type of the site of a number that stands in the program's text."""

PARAMETER = "Parameter"
"""The type of the site of what a variable of PyTorch's held when it was first seen."""

_VALUE_FROM_PYTHON = Operation(kind=Kind.INPUT, traits=frozenset({Trait.FROM_OUTSIDE}))
_WRITTEN_DOWN = Operation(kind=Kind.CONSTANT)
_HELD = Operation(kind=Kind.READ)


def is_in_place(op_type: str) -> bool:
    """Whether a type of operation writes its first input, by its name: `aten::add_`."""
    word = op_type.rpartition("::")[2]
    return "::" in op_type and word.endswith("_") and not word.endswith("__")


@lru_cache(maxsize=16_384)
def operation(framework: str, op_type: str) -> Operation:
    """Return what is known of a type; of a framework without a table, or a type that stands in none, nothing."""
    if op_type == INPUT:
        return _VALUE_FROM_PYTHON
    if op_type == NUMBER:
        return _WRITTEN_DOWN
    if op_type == PARAMETER:
        return _HELD
    table = TABLES.get(framework)
    return Operation() if table is None else table.find(op_type)
