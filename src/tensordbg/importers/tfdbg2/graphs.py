"""The graphs of a log: the operations that were created in them, in the order of their creation."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

TensorName = tuple[str, int]
"""Name of an operation in its graph, and the slot of its output."""

_RETURNED = re.compile(r"(?:.*/)?Identity(?:_\d+)?")
_MAKERS = ("Placeholder", "Const", "NoOp")


@dataclass(frozen=True)
class Operation:
    """One operation of a graph, as Python created it."""

    name: str
    op_type: str
    inputs: tuple[TensorName, ...]
    outputs: int
    stack: tuple[str, ...]
    """Identifiers of its frames, the outermost first."""
    order: int
    """Position among all that the log tells of graphs."""
    captured: bool = False
    """Whether it is an argument that stands for a value of a graph around it."""


@dataclass
class Graph:
    """One graph: of a function, of a branch, of a loop's body, or the one that surrounds all others."""

    identifier: str
    name: str
    outer: str
    """Identifier of the graph in which it was made."""
    order: int
    operations: dict[str, Operation] = field(default_factory=dict)

    @property
    def arguments(self) -> list[Operation]:
        """Its arguments, captured values last."""
        return [operation for operation in self.operations.values() if operation.op_type == "Placeholder"]

    @property
    def closed(self) -> bool:
        """Whether it became a function; those in which TensorFlow only tries something out do not."""
        is_backward = self.name.startswith("__backward_")
        return is_backward or any(operation.op_type == "NoOp" for operation in self.operations.values())

    def results(self, count: int | None) -> tuple[TensorName, ...]:
        """The results of a function, as far as they can be told.

        What a function returns goes through an `Identity` at its end. A backward pass has none: there it is what
        nothing else takes. What a gradient needs of a loop's body comes behind the end.

        Args:
            count: How many there are, None where that is not known.
        """
        operations = list(self.operations.values())
        ends = [position for position, operation in enumerate(operations) if operation.op_type == "NoOp"]
        if not ends:
            loose = self.loose(len(operations) and operations[-1].order + 1)
            return tuple(loose) if count is None or len(loose) == count else ()
        returned: list[TensorName] = []
        for operation in reversed(operations[: ends[-1]]):
            if operation.op_type != "Identity" or not _RETURNED.fullmatch(operation.name) or len(returned) == count:
                break
            returned.insert(0, (operation.name, 0))
        kept = [(each.name, 0) for each in operations[ends[-1] :] if each.op_type == "TensorListPushBack"]
        return (*returned, *kept)

    def loose(self, before: int) -> list[TensorName]:
        """The outputs that no operation takes, of operations created before a position."""
        taken = {name for operation in self.operations.values() for name in operation.inputs}
        made = [each for each in self.operations.values() if each.op_type not in _MAKERS and each.order < before]
        names = [(operation.name, slot) for operation in made for slot in range(operation.outputs)]
        return [name for name in names if name not in taken]

    def kept_for(self, backward: Graph) -> tuple[TensorName, ...]:
        """The tensors that it hands to its backward pass beside its results."""
        found = [self.named_in(argument.name) for argument in backward.arguments if argument.captured]
        names = [(operation.name, 0) for operation in found if operation is not None]
        returned = self.results(None)
        return tuple(name for name in dict.fromkeys(names) if name not in returned)

    def named_in(self, placeholder: str) -> Operation | None:
        """The operation whose output an argument of another graph stands for: its name is the end of the argument's."""
        parts = placeholder.split("/")
        for begin in range(len(parts)):
            found = self.operations.get("/".join(parts[begin:]))
            if found is not None:
                return found
        return None


@dataclass(frozen=True)
class Graphs:
    """All graphs of a log, by identifier and in the order of their creation, and its devices."""

    all: Mapping[str, Graph]
    devices: Mapping[int, str]

    def around(self, identifier: str) -> Iterator[str]:
        """A graph and those around it, from the innermost outwards."""
        seen: set[str] = set()
        while identifier in self.all and identifier not in seen:
            seen.add(identifier)
            yield identifier
            identifier = self.all[identifier].outer

    def differentiated(self, backward: Graph) -> Graph | None:
        """The function whose backward pass a graph is, where it is one."""
        match = re.fullmatch(r"__backward_(.+)_\d+", backward.name)
        if not match:
            return None
        around = self.all.get(backward.outer)
        if around is not None and around.name == match[1]:
            return around
        return self.latest(match[1], backward.order)

    def latest(self, name: str, before: int | None = None) -> Graph | None:
        """The graph with a name that was made last, or last before a position."""
        named = [each for each in self.all.values() if each.name == name and (before is None or each.order < before)]
        return named[-1] if named else None


def collect_graphs(events: Iterable[Any], capturing: Container[str]) -> Graphs:
    """Puts the events of a log's `.graphs` file together.

    Args:
        events: Those of the file.
        capturing: Identifiers of the frames inside of what TensorFlow does to capture a value.
    """
    graphs: dict[str, Graph] = {}
    devices: dict[int, str] = {}
    for order, event in enumerate(events):
        if event.HasField("debugged_graph"):
            made = event.debugged_graph
            graphs[made.graph_id] = Graph(made.graph_id, made.graph_name, made.outer_context_id, order)
        elif event.HasField("debugged_device"):
            devices[event.debugged_device.device_id] = event.debugged_device.device_name
        elif event.HasField("graph_op_creation"):
            created = event.graph_op_creation
            graph = graphs.setdefault(created.graph_id, Graph(created.graph_id, "", "", order))
            graph.operations[created.op_name] = _operation(created, order, capturing)
    return Graphs(graphs, devices)


def _operation(created: Any, order: int, capturing: Container[str]) -> Operation:
    stack = tuple(created.code_location.stack_frame_ids)
    return Operation(
        name=created.op_name,
        op_type=created.op_type,
        inputs=tuple(_tensor(name) for name in created.input_names),
        # A damaged number must not ask for more memory than there is.
        outputs=min(max(created.num_outputs, 0), 2**15),
        stack=stack,
        order=order,
        captured=any(frame in capturing for frame in stack),
    )


def _tensor(name: str) -> TensorName:
    operation, _, slot = name.rpartition(":")
    return (operation, min(int(slot), 2**15)) if operation and slot.isdecimal() else (name, 0)
