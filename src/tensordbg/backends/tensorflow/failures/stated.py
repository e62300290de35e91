"""Says of tensors that Python held when the program failed what they are, and of those of a graph what made them.

The graph was not finished, so nothing else tells of it. Its operations are told from these tensors backwards, the
nearest. An eager tensor is known by the execution that made it.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from tensordbg.backends.tensorflow.attributes import attributes_json
from tensordbg.backends.tensorflow.failures.outside_values import Outside
from tensordbg.backends.tensorflow.keras.layers import MARK
from tensordbg.backends.tensorflow.keras.symbols import is_symbol, made_by_operation, made_from, stack_of
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.backends.tensorflow.tracing.static_shapes import shown_by, with_shape_of
from tensordbg.model import NONE, StatedTensor
from tensordbg.recording.log import made_by

_MOST = 300
"""So many tensors of a graph are told of."""


def stated_tensors(
    values: Sequence[Any], stacks: Stacks, outside: Outside = MappingProxyType({})
) -> tuple[StatedTensor, ...]:
    """Describes some values, in their order, and behind them those that they were made from, as far as `outside`."""
    return _Stating(stacks, outside).of(values)


class _Stating:
    """Goes back over a graph, the nearest first."""

    def __init__(self, stacks: Stacks, outside: Outside) -> None:
        self._stacks = stacks
        self._outside = outside
        self._waiting: list[Any] = []
        self._place: dict[object, int] = {}
        self._captured: dict[int, dict[str, Any]] = {}

    def of(self, values: Sequence[Any]) -> tuple[StatedTensor, ...]:
        self._waiting = list(values)
        for place, value in enumerate(values):
            self._place.setdefault(_identity(value), place)
        found: list[StatedTensor] = []
        while len(found) < len(self._waiting):
            found.append(self._stated(self._waiting[len(found)]))
        return tuple(found)

    def _stated(self, value: Any) -> StatedTensor:
        if isinstance(value, StatedTensor):
            return value
        dtype = dtype_name(getattr(value, "dtype", None))
        shape = _dims(value)
        if hasattr(value, "_datatype_enum"):
            _, reference, _ = getattr(value, MARK, (None, -1, NONE))
            made = made_by(int(reference)) if int(reference) >= 0 else (NONE, 0)
            return StatedTensor("tensor", "", dtype, shape, execution=made[0], slot=made[1])
        if is_symbol(value):
            name, kind = made_by_operation(value)
            return StatedTensor(name, kind, dtype, shape, stack_of(value), self._places(made_from(value)))
        operation = None if hasattr(value, "handle") else getattr(value, "op", None)
        if operation is None or not hasattr(operation, "node_def"):
            return StatedTensor(_name(value), "", dtype, shape)
        return StatedTensor(
            tensor=str(value.name),
            op_type=str(operation.type),
            dtype=dtype,
            shape=shape,
            stack=self._stacks.of_operations([operation]).get(operation.name, NONE),
            inputs=self._places(self._before(value, operation)),
            attributes=with_shape_of(attributes_json(operation.node_def), operation.graph, operation.name),
        )

    def _before(self, value: Any, operation: Any) -> Sequence[Any]:
        """What an operation takes; of what a function was given or has captured, the tensor outside."""
        if operation.inputs or operation.type != "Placeholder":
            shown = shown_by(operation)
            return list(operation.inputs) if shown is None else [shown]
        graph = operation.graph
        given = self._outside.get((id(graph), str(value.name)))
        if given is not None:
            return [given]
        if id(graph) not in self._captured:
            pairs = getattr(graph, "captures", ())
            self._captured[id(graph)] = {inner.name: outer for outer, inner in pairs}
        outer = self._captured[id(graph)].get(value.name)
        return [] if outer is None else [outer]

    def _places(self, values: Sequence[Any]) -> tuple[int, ...]:
        return tuple(place for each in values if (place := self._at(each)) != NONE)

    def _at(self, value: Any) -> int:
        """The place of a tensor in the list; `NONE` where there is no room for it any more."""
        identity = _identity(value)
        if identity not in self._place:
            if len(self._waiting) >= _MOST:
                return NONE
            self._place[identity] = len(self._waiting)
            self._waiting.append(value)
        return self._place[identity]


def dtype_name(dtype: Any) -> str:
    """The name of a type, whoever made it; NumPy has one for texts of each length."""
    return "string" if getattr(dtype, "kind", "") in ("S", "U") else str(getattr(dtype, "name", None) or dtype or "")


def _name(value: Any) -> str:
    """The name of what is of no graph; of a number itself, else of its class."""
    if isinstance(value, (bool, int, float, complex)):
        return str(value)
    return str(getattr(value, "path", None) or getattr(value, "name", None) or type(value).__name__)


def _identity(value: Any) -> object:
    """What tells values apart as long as they live: a graph gives the same tensor as several objects."""
    graph = None if hasattr(value, "_datatype_enum") else getattr(value, "graph", None)
    return id(value) if graph is None else (id(graph), str(value.name))


def _dims(value: Any) -> tuple[int, ...] | None:
    """The shape of whatever has one, -1 for what is not known of it."""
    shape = getattr(value, "shape", None)
    if shape is None:
        return () if isinstance(value, (bool, int, float, complex)) else None
    try:
        return tuple(-1 if dim is None else int(dim) for dim in shape)
    except (TypeError, ValueError):  # not even how many dimensions it has
        return None
