"""Gives numbers to the program's variables, known by the handles through which TensorFlow reaches them."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterable
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.internals import resource_variable_ops
from tensordbg.backends.tensorflow.keras.trainable import are_trainable
from tensordbg.model import NONE
from tensordbg.recording.catalog import Catalog

# Python attributes of ours on a handle; it is the variable's for as long as it lives.
_NUMBER = "_tensordbg_variable"
_NAME = "_tensordbg_name"
_LEARNT = "_tensordbg_learnt"
_STANDS_FOR = "_tensordbg_stands_for"
"""On the argument of a graph: the handle that it will be given."""

READERS = frozenset({"ReadVariableOp", "ResourceGather", "ResourceGatherNd"})
"""Operations that put out a variable's value."""

_WRITERS = ("Assign", "ResourceApply", "ResourceSparseApply", "ResourceScatter", "ResourceStridedSliceAssign")
"""How the names begin of operations that change a variable."""


def writes(op_type: str) -> bool:
    """Whether an operation of this type changes the variables that it takes."""
    return op_type.startswith(_WRITERS)


def dtype_behind(handle: Any) -> int | None:
    """The type of the numbers in the variable behind an eager handle, None where it is no variable's."""
    return int(handle._handle_data.shape_and_type[0].dtype) if _is_of_variable(handle) else None  # noqa: SLF001


class Variables:
    """Numbers for variables, given at the first operation on them."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def learn_name(self, handle: Any, name: str | None) -> None:
        """Keeps a variable's name where its number will be looked up: with its handle, an eager tensor."""
        if name and hasattr(handle, "_numpy_internal") and not hasattr(handle, _NAME):
            setattr(handle, _NAME, name.rstrip("/").removesuffix(":0"))

    def learn(self, variables: Iterable[Any]) -> None:
        """Keeps the names of variables that are about to be used, and whether they are to be trained by now."""
        known = [variable for variable in variables if getattr(variable, "_handle", None) is not None]
        for variable in known:
            self.learn_name(variable.handle, variable.name)
        for variable, trainable in zip(known, are_trainable(known), strict=True):
            number = self.number_of(variable.handle)
            if number != NONE:
                self._catalog.set_trainable(number, trainable)
                setattr(variable.handle, _LEARNT, True)

    def learn_alive(self, handle: Any) -> None:
        """Learns of all variables there are, if the handle is of one whose name is not known: it was made earlier."""
        if hasattr(handle, _NAME) or not _is_of_variable(handle):
            return
        # The type is compared, as asking an object of the program's for its class may run code of it.
        kind = resource_variable_ops.BaseResourceVariable
        alive = [each for each in gc.get_objects() if issubclass(type(each), kind)]
        self.learn([each for each in alive if not hasattr(getattr(each, "_handle", None), _NUMBER)])
        if not hasattr(handle, _NAME):
            setattr(handle, _NAME, "")

    def learn_once(self, variable: Any) -> None:
        """Learns one variable that is used eagerly, where looking each time would take too long."""
        if not hasattr(variable.handle, _LEARNT):
            self.learn([variable])

    def stand_for(self, argument: Any, handle: Any) -> None:
        """Keeps with the argument of a graph that captures nothing which variable's handle it will be given."""
        setattr(argument, _STANDS_FOR, handle)

    def handle_of(self, tensor: Any) -> Any:
        """The handle that Python holds where a tensor is one or stands for one; else None."""
        return _eager_handle(tensor)

    def number_of(self, handle: Any) -> int:
        """The variable behind a handle: an eager tensor, or a tensor of a graph that stands for one captured.

        Returns:
            Its number, or `NONE` for a tensor that is no variable's handle or whose variable can't be told.
        """
        eager = _eager_handle(handle)
        if eager is None:
            return NONE
        known = getattr(eager, _NUMBER, None)
        if known is None:
            known = self._add(eager)
            setattr(eager, _NUMBER, known)
        return int(known)

    def _add(self, handle: Any) -> int:
        if not _is_of_variable(handle):
            return NONE
        described = handle._handle_data.shape_and_type[0]  # noqa: SLF001  described in internals.py
        known = not described.shape.unknown_rank
        shape = json.dumps([dim.size for dim in described.shape.dim]) if known else "null"
        name = getattr(handle, _NAME, "") or "Variable"
        return self._catalog.add_variable(name, dtypes.name_of(described.dtype), shape)


def _is_of_variable(handle: Any) -> bool:
    data = getattr(handle, "_handle_data", None)
    return data is not None and data.is_set and len(data.shape_and_type) == 1


def _eager_handle(handle: Any) -> Any:
    """Follows a captured handle outwards, through the functions around, to the one that Python holds."""
    for _ in range(100):
        if hasattr(handle, "_numpy_internal"):
            return handle
        if hasattr(handle, _STANDS_FOR):
            return getattr(handle, _STANDS_FOR)
        graph = getattr(handle, "graph", None)
        outer = next((outer for outer, inner in getattr(graph, "captures", ()) if inner is handle), None)
        if outer is None:
            return None
        handle = outer
    return None
