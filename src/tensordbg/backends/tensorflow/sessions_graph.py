"""Describes what one kind of run of a session computes: the part of its graph upstream of what is fetched.

Runs that feed and fetch the same are calls of one function, with sites of its own: what is fed are its arguments, what
is fetched are its results. A graph may grow between runs; what a run needs does not change with that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tensordbg.backends.tensorflow import definition as fd
from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.attributes import attributes_json
from tensordbg.backends.tensorflow.functions import Functions
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.backends.tensorflow.variables import READERS, writes
from tensordbg.model import NONE, CallKind, Function, Site, TensorRef
from tensordbg.recording.catalog import Catalog

TensorName = tuple[str, int]
"""An operation's name and the output."""

REFERENCE_VARIABLES = frozenset({"VariableV2", "Variable", "TemporaryVariable"})
"""Operations that put out a reference to a variable: what is recorded of them is the value when the run begins."""

_HANDLES = frozenset({"VarHandleOp", *REFERENCE_VARIABLES})
_PASSING = frozenset({"Identity", "RefIdentity", "Enter", "RefEnter", "Switch", "RefSwitch"})
_REFERENCE_WRITERS = ("Assign", "Apply", "SparseApply", "Scatter")

# They put out what was put in; a loop's values are seen at its Merge operations, where the turns can be told apart.
_UNWATCHED = fd.UNPROBED | {
    "Enter",
    "LoopCond",
    "NextIteration",
    "RefEnter",
    "RefIdentity",
    "RefNextIteration",
    "RefSwitch",
    "Switch",
}

_PARTS: dict[CallKind, tuple[str, ...]] = {
    CallKind.CALL: ("",),
    CallKind.WHILE: ("/cond", "/body"),
    CallKind.IF: ("/then", "/else"),
}
_DEEPEST = 20
"""So many calls of functions inside each other are looked into."""


@dataclass(frozen=True)
class RunKey:
    """What tells one kind of run from another."""

    feeds: tuple[TensorName, ...]
    fetches: tuple[TensorName, ...]
    targets: tuple[str, ...]


@dataclass(frozen=True)
class WatchedNode:
    """A node whose outputs are recorded, as the runtime names it but for the numbers of inlined calls."""

    name: str
    site: int
    own_name: int
    """Length of its name in its own graph, which the name ends with."""
    reference: bool
    """Whether it puts out references to variables."""


@dataclass(frozen=True)
class RunDescription:
    """A kind of run, described in the catalog."""

    function: Function
    watched: list[WatchedNode]


class SessionVariables:
    """The variables of one session; another session on the same graph has others."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._numbers: dict[str, int] = {}

    def behind(self, tensor: Any) -> int:
        """The variable that a tensor is the handle of, or a reference to; `NONE` if it is neither."""
        operation = tensor.op
        while operation.type in _PASSING:
            operation = operation.inputs[0].op
        return self.of(operation) if operation.type in _HANDLES else NONE

    def of(self, operation: Any) -> int:
        """The variable that an operation stands for."""
        known = self._numbers.get(operation.name)
        if known is None:
            shape = operation.get_attr("shape")
            known = self._catalog.add_variable(
                operation.name,
                dtypes.name_of(operation.get_attr("dtype").as_datatype_enum),
                "null" if shape.unknown_rank else json.dumps([dim.size for dim in shape.dim]),
            )
            self._numbers[operation.name] = known
            trainable = {variable.op.name for variable in operation.graph.get_collection("trainable_variables")}
            self._catalog.set_trainable(known, operation.name in trainable)
        return known


class SessionGraphs:
    """Describes runs in the catalog."""

    def __init__(self, catalog: Catalog, functions: Functions, stacks: Stacks) -> None:
        self._catalog = catalog
        self._functions = functions
        self._stacks = stacks

    def describe(self, graph: Any, key: RunKey, variables: SessionVariables) -> RunDescription:
        """Enters a kind of run of a graph into the catalog.

        Args:
            graph: The Python graph; it is only read.
            key: What the run feeds and fetches.
            variables: Those of the session.
        """
        operations = upstream(graph, key)
        with self._catalog.lock:
            number = self._catalog.next_function
            first = self._catalog.new_sites(len(key.feeds) + len(operations))
            reader = _RunReader(key, operations, first, number, variables)
            fed = [graph.get_operation_by_name(name) for name, _ in key.feeds]
            stacks = self._stacks.of_operations([*fed, *operations])
            sites = [*reader.argument_sites(fed, stacks), *reader.sites(stacks)]
            self._catalog.add_sites(sites)
            function = Function(
                function=number,
                name=display_name(key),
                runtime_name=f"session_run_{number}",
                graph=number,
                arguments=tuple(range(first, first + len(key.feeds))),
                outputs=tuple(reader.reference(fetch) for fetch in key.fetches),
                captures=(NONE,) * len(key.feeds),
                signature=_signature(graph, key.feeds),
            )
            self._catalog.add_function(function)
        watched = [*reader.watched(), *self._inside(sites, "", _DEEPEST)]
        return RunDescription(function, watched)

    def _inside(self, sites: list[Site], path: str, depth: int) -> Iterator[WatchedNode]:
        """The nodes of the functions that are called, which the runtime inlines."""
        for site in sites if depth else ():
            parts = _PARTS.get(site.call, ())
            if site.op_type.endswith("Case"):
                parts = tuple(f"/branch{number}" for number in range(len(site.called)))
            for part, called in zip(parts, site.called, strict=False):
                inner = path + site.name + part + "/"
                yield from self._nodes(called, inner)
                yield from self._inside(self._catalog.sites_of_function(called), inner, depth - 1)

    def _nodes(self, runtime_name: str, path: str) -> Iterator[WatchedNode]:
        definition = self._functions.plain_definition(runtime_name)
        by_name = {site.name: site for site in self._catalog.sites_of_function(runtime_name)}
        for node in definition.node_def if definition is not None else ():
            # A definition renames what is also a result's name.
            site = by_name.get(node.name) or by_name.get(re.sub(r"_\d+$", "", node.name))
            if site is not None and site.argument == NONE and _worth_watching(site):
                yield WatchedNode(path + node.name, site.site, len(node.name), False)


def upstream(graph: Any, key: RunKey) -> list[Any]:
    """The operations that a run needs, in the order in which they were made; nothing that is fed is looked behind."""
    fed = set(key.feeds)
    waiting = [graph.get_operation_by_name(name) for name, slot in key.fetches if (name, slot) not in fed]
    waiting.extend(graph.get_operation_by_name(name) for name in key.targets)
    needed: dict[str, Any] = {}
    while waiting:
        operation = waiting.pop()
        if operation.name in needed:
            continue
        needed[operation.name] = operation
        waiting.extend(tensor.op for tensor in operation.inputs if (tensor.op.name, tensor.value_index) not in fed)
        waiting.extend(operation.control_inputs)
    return sorted(needed.values(), key=lambda operation: operation._id)  # noqa: SLF001  described in internals.py


def display_name(key: RunKey) -> str:
    """What a run is called in reports: `Session.run(loss, train)`."""
    names = list(dict.fromkeys([*(name for name, _ in key.fetches), *key.targets]))
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"Session.run({shown})"


class _RunReader:
    """Reads the operations of one kind of run."""

    def __init__(
        self, key: RunKey, operations: list[Any], first: int, function: int, variables: SessionVariables
    ) -> None:
        self._feeds = {feed: first + place for place, feed in enumerate(key.feeds)}
        self._operations = operations
        self._first = first + len(key.feeds)
        self._numbers = {operation.name: self._first + place for place, operation in enumerate(operations)}
        self._function = function
        self._variables = variables
        self._sites: list[Site] = []

    def reference(self, tensor: TensorName) -> TensorRef:
        """The output of a site that a tensor is."""
        name, slot = tensor
        if tensor in self._feeds:
            return TensorRef(self._feeds[tensor], 0)
        return TensorRef(self._numbers.get(name, NONE), slot)

    def argument_sites(self, fed: list[Any], stacks: dict[str, int]) -> Iterator[Site]:
        """What is fed."""
        for place, ((name, slot), number) in enumerate(self._feeds.items()):
            operation = fed[place]
            yield Site(
                site=number,
                name=name,
                op_type="Placeholder",
                function=self._function,
                stack=stacks.get(name, NONE),
                dtypes=(dtypes.name_of(operation.outputs[slot].dtype.as_datatype_enum),),
                argument=place,
            )

    def sites(self, stacks: dict[str, int]) -> list[Site]:
        """The operations."""
        self._sites = [self._site(operation, stacks.get(operation.name, NONE)) for operation in self._operations]
        return self._sites

    def watched(self) -> Iterator[WatchedNode]:
        """What is recorded of them."""
        for (name, slot), number in self._feeds.items():
            yield WatchedNode(f"_arg_{name}_{slot}", number, 0, False)
        for operation, site in zip(self._operations, self._sites, strict=True):
            if _worth_watching(site):
                yield WatchedNode(operation.name, site.site, 0, _puts_out_references(operation))

    def _site(self, operation: Any, stack: int) -> Site:
        node = operation.node_def
        called = fd.called_functions(node)
        touched = self._touched(operation)
        reading = operation.type in READERS or operation.type in REFERENCE_VARIABLES
        return Site(
            site=self._numbers[operation.name],
            name=operation.name,
            op_type=operation.type,
            function=self._function,
            stack=stack,
            inputs=tuple(self.reference((tensor.op.name, tensor.value_index)) for tensor in operation.inputs),
            dtypes=tuple(dtypes.name_of(tensor.dtype.as_datatype_enum) for tensor in operation.outputs),
            device=operation.device,
            call=fd.CALLS.get(operation.type, CallKind.OTHER if called else CallKind.NONE),
            called=called,
            reads=touched if reading else (),
            writes=touched if _writes(operation) else (),
            gradient_of=self._gradient_of(operation),
            attributes=attributes_json(node),
        )

    def _touched(self, operation: Any) -> tuple[int, ...]:
        """The variables that it stands for or takes."""
        if operation.type in REFERENCE_VARIABLES:
            return (self._variables.of(operation),)
        handles = (tensor for tensor in operation.inputs if _is_handle(tensor))
        return tuple(number for number in map(self._variables.behind, handles) if number != NONE)

    def _gradient_of(self, operation: Any) -> int:
        """The operation whose gradient a `...Grad` operation computes, where it takes a result of it."""
        if operation.type.endswith("Grad"):
            for tensor in operation.inputs:
                if tensor.op.type == operation.type[: -len("Grad")]:
                    return self._numbers.get(tensor.op.name, NONE)
        return NONE


def _worth_watching(site: Site) -> bool:
    if site.op_type in _UNWATCHED:
        return False
    # Constants of whole numbers are shapes and axes.
    return site.op_type != "Const" or site.dtypes[0] in _FLOATS


_FLOATS = frozenset(dtypes.name_of(enum) for enum in dtypes.FLOATS)


def _is_handle(tensor: Any) -> bool:
    return bool(tensor.dtype._is_ref_dtype) or tensor.dtype.as_datatype_enum == dtypes.RESOURCE  # noqa: SLF001


def _puts_out_references(operation: Any) -> bool:
    return any(tensor.dtype._is_ref_dtype for tensor in operation.outputs)  # noqa: SLF001


def _writes(operation: Any) -> bool:
    """Whether it changes the variables that it takes: resources by name, references by taking them."""
    if operation.type.startswith(_REFERENCE_WRITERS) and _puts_out_references(operation):
        return True
    return writes(operation.type)


def _signature(graph: Any, feeds: tuple[TensorName, ...]) -> str:
    tensors = [graph.get_operation_by_name(name).outputs[slot] for name, slot in feeds]
    return "(" + ", ".join(f"{tensor.dtype.base_dtype.name}{_shape(tensor)}" for tensor in tensors) + ")"


def _shape(tensor: Any) -> str:
    if tensor.shape.rank is None:
        return "[...]"
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in tensor.shape.as_list()) + "]"
