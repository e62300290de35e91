"""Looks up what is known of a type of operation, by its framework; what was found is kept."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from tensordbg.operations import tensorflow
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Operation
from tensordbg.operations.table import Table
from tensordbg.operations.traits import Trait

INPUT = "Input"
"""The type of the site of a value that came in from Python, in each framework."""

TABLES: Mapping[str, Table] = MappingProxyType({"tensorflow": tensorflow.TABLE})
"""By the name of the framework."""

_VALUE_FROM_PYTHON = Operation(kind=Kind.INPUT, traits=frozenset({Trait.FROM_OUTSIDE}))


@lru_cache(maxsize=16_384)
def operation(framework: str, op_type: str) -> Operation:
    """Return what is known of a type; of a framework without a table, or a type that stands in none, nothing."""
    if op_type == INPUT:
        return _VALUE_FROM_PYTHON
    table = TABLES.get(framework)
    return Operation() if table is None else table.find(op_type)
