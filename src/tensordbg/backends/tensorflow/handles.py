"""Reads and writes variables by their handles alone, which is all that a function knows of some of them."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.internals import context, record
from tensordbg.model import NONE


def read_handle(handle: Any) -> Any:
    """Reads a variable, None where it has no value."""
    import tensorflow as tf

    shape_and_type = handle._handle_data.shape_and_type  # noqa: SLF001
    if len(shape_and_type) != 1:
        return None
    with record.stop_recording():
        try:
            return hooks().entries.fast_path(
                context.context(), "ReadVariableOp", None, handle, "dtype", shape_and_type[0].dtype
            )
        except tf.errors.OpError:
            return None


def write_handle(handle: Any, value: Any) -> None:
    """Gives a variable a value."""
    with record.stop_recording():
        hooks().entries.fast_path(context.context(), "AssignVariableOp", None, handle, value, "validate_shape", False)


def handles_of(graph: Any) -> Mapping[int, weakref.ref[Any]]:
    """The handles that a graph's function is given, by the number of the variable.

    A replica's own variable, or one that TensorFlow made for itself, is known to no list of the graph's.
    """
    variables = hooks().variables
    given = [each for each in graph.inputs if each.dtype.as_datatype_enum == dtypes.RESOURCE]
    handles = [variables.handle_of(each) for each in (*given, *(each.handle for each in graph.variables))]
    known = {variables.number_of(each): weakref.ref(each) for each in handles if each is not None}
    known.pop(NONE, None)
    return known


def handles_of_tables(graph: Any) -> Mapping[int, weakref.ref[Any]]:
    """The handles that a graph takes from eager code and that are no variables', by the number of the argument."""
    variables = hooks().variables
    given = ((number, each) for number, each in enumerate(graph.inputs))
    resources = ((number, each) for number, each in given if each.dtype.as_datatype_enum == dtypes.RESOURCE)
    handles = ((number, variables.handle_of(each)) for number, each in resources if variables.number_of(each) == NONE)
    return {number: weakref.ref(handle) for number, handle in handles if handle is not None}
