"""Reads what an eager update of a variable has written, for a check: the operation itself puts out nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from tensordbg.backends.tensorflow.check.updates import updates
from tensordbg.backends.tensorflow.functions.slots import slots_of
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.internals import context, op_def_registry, record
from tensordbg.backends.tensorflow.variables import dtype_behind

_ROWS = "indices"


def written(op_type: str, args: Sequence[Any]) -> Iterator[Any]:
    """The values of the variable and of its slots after an update; of one that updates chosen rows those rows.

    Args:
        op_type: Of any eager operation; what updates nothing has written nothing.
        args: What it took, and perhaps more.
    """
    if not updates(op_type):
        return
    reader, rows = _reader(op_type)
    for position in (0, *slots_of(op_type).positions):
        dtype = dtype_behind(args[position])
        if dtype is None:
            continue
        given = (args[position],) if rows < 0 else (args[position], args[rows])
        with record.stop_recording():
            yield hooks().entries.fast_path(context.context(), reader, None, *given, "dtype", dtype)


@cache
def _reader(op_type: str) -> tuple[str, int]:
    """The type of the operation that reads what is written, and where the update takes the numbers of the rows."""
    found = op_def_registry.get(op_type)
    names = [] if found is None else [argument.name for argument in found.input_arg]
    if _ROWS not in names:
        return "ReadVariableOp", -1
    return "ResourceGatherNd" if "Nd" in op_type else "ResourceGather", names.index(_ROWS)
