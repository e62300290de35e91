"""The variables of a TensorFlow 1 session: resources, and references as there were before."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.variables import READERS, writes
from tensordbg.model import NONE
from tensordbg.recording.catalog import Catalog

REFERENCE_VARIABLES = frozenset({"VariableV2", "Variable", "TemporaryVariable"})
"""Operations that put out a reference to a variable: what is recorded of them is the value when the run begins."""

_HANDLES = frozenset({"VarHandleOp", *REFERENCE_VARIABLES})
_PASSING = frozenset({"Identity", "RefIdentity", "Enter", "RefEnter", "Switch", "RefSwitch"})
_REFERENCE_WRITERS = ("Assign", "Apply", "SparseApply", "Scatter")


class SessionVariables:
    """The variables of one session; another session on the same graph has others."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._numbers: dict[str, int] = {}

    def learn(self, operations: Iterable[Any]) -> None:
        """Numbers the variables that are made among operations: functions may be given them that read or write them."""
        for operation in operations:
            if operation.type in _HANDLES:
                self._of(operation)

    def read_by(self, operation: Any) -> tuple[int, ...]:
        """The variables whose value an operation puts out."""
        if operation.type in REFERENCE_VARIABLES:
            return (self._of(operation),)
        return self._taken_by(operation) if operation.type in READERS or reads_later(operation) else ()

    def written_by(self, operation: Any) -> tuple[int, ...]:
        """The variables that an operation changes."""
        by_reference = operation.type.startswith(_REFERENCE_WRITERS) and puts_out_references(operation)
        return self._taken_by(operation) if by_reference or writes(operation.type) else ()

    def _taken_by(self, operation: Any) -> tuple[int, ...]:
        handles = (tensor for tensor in operation.inputs if _is_handle(tensor))
        return tuple(number for number in map(self._behind, handles) if number != NONE)

    def _behind(self, tensor: Any) -> int:
        """The variable that a tensor is the handle of, or a reference to; `NONE` if it is neither."""
        handle = handle_behind(tensor)
        return NONE if handle is None else self._of(handle.op)

    def _of(self, operation: Any) -> int:
        """The variable that an operation stands for."""
        known = self._numbers.get(operation.name)
        if known is None:
            shape = operation.get_attr("shape")
            known = self._numbers[operation.name] = self._catalog.add_variable(
                operation.name,
                dtypes.name_of(operation.get_attr("dtype").as_datatype_enum),
                "null" if shape.unknown_rank else json.dumps([dim.size for dim in shape.dim]),
            )
            trainable = {variable.op.name for variable in operation.graph.get_collection("trainable_variables")}
            self._catalog.set_trainable(known, operation.name in trainable)
        return known


def handle_behind(tensor: Any) -> Any:
    """The tensor that a variable's own operation puts out, behind one that passes it on; None if there is none."""
    while tensor.op.type in _PASSING:
        tensor = tensor.op.inputs[0]
    return tensor if tensor.op.type in _HANDLES else None


def reads_later(operation: Any) -> bool:
    """Whether an operation reads a reference when something else has run, so that it may see what that wrote."""
    copies = operation.type == "Identity" and bool(operation.control_inputs)
    return copies and _is_reference(operation.inputs[0])


def puts_out_references(operation: Any) -> bool:
    """Whether an operation puts out references to variables."""
    return any(map(_is_reference, operation.outputs))


def _is_handle(tensor: Any) -> bool:
    return _is_reference(tensor) or tensor.dtype.as_datatype_enum == dtypes.RESOURCE


def _is_reference(tensor: Any) -> bool:
    return bool(tensor.dtype._is_ref_dtype)  # noqa: SLF001  described in internals.py
