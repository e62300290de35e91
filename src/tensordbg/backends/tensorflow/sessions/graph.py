"""Describes what one kind of run of a session computes: the part of its graph upstream of what is fetched.

Runs that feed and fetch the same are calls of one function, with sites of its own: what is fed are its arguments, what
is fetched are its results. A graph may grow between runs; what a run needs does not change with that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.attributes import attributes_json, with_notes
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.node_names import of_node
from tensordbg.backends.tensorflow.internals import differentiated, op_def_registry
from tensordbg.backends.tensorflow.sessions.library import LibraryFunctions
from tensordbg.backends.tensorflow.sessions.loops import Loop
from tensordbg.backends.tensorflow.sessions.parts import Part, Parts, TensorName, type_name
from tensordbg.backends.tensorflow.sessions.slots import readings_behind, sites_of
from tensordbg.backends.tensorflow.sessions.variables import SessionVariables, puts_out_references, reads_later
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.backends.tensorflow.tracing.backward import BackwardPasses
from tensordbg.backends.tensorflow.tracing.composites import with_composites
from tensordbg.backends.tensorflow.tracing.differentiated import with_differentiated
from tensordbg.enumeration import first_few
from tensordbg.model import NONE, RUNS_ANYWAY, WAITS_FOR, CallKind, Function, Site
from tensordbg.operations.frameworks import TENSORFLOW
from tensordbg.recording.catalog import Catalog

# They put out what was put in.
_UNWATCHED = fd.UNPROBED | {"RefIdentity", "RefSwitch", "StackPushV2", "Switch"}
_FLOATS = frozenset(dtypes.name_of(enum) for enum in dtypes.FLOATS)

_PARTS: dict[CallKind, tuple[str, ...]] = {
    CallKind.CALL: ("",),
    CallKind.WHILE: ("/cond", "/body"),
    CallKind.IF: ("/then", "/else"),
}
_DEEPEST = 20
"""So many calls of functions inside each other are looked into."""


@dataclass(frozen=True)
class RunKey:
    """The identity of one kind of run."""

    feeds: tuple[TensorName, ...]
    fetches: tuple[TensorName, ...]
    targets: tuple[str, ...]

    def in_any_order(self) -> RunKey:
        """A key that is equal for all runs that the runtime makes the same of."""
        return RunKey(tuple(sorted(self.feeds)), tuple(sorted(self.fetches)), tuple(sorted(self.targets)))


@dataclass(frozen=True)
class WatchedNode:
    """A node whose outputs are recorded."""

    name: str
    """As the runtime names it, but for the numbers of inlined calls."""
    site: int
    path: str
    """Of the calls and loops in which it runs."""
    reference: bool = False
    """Whether it puts out references to variables."""
    single: bool = True
    """Whether it has one output."""


@dataclass(frozen=True)
class RunDescription:
    """A kind of run, described in the catalog."""

    function: Function
    watched: list[WatchedNode]
    operations: list[Any]
    """What it needs of the graph, in the order in which it was made."""
    parts: Parts
    slots: list[tuple[Any, int]]
    """Operations that read what its updates have left beside variables, to be run behind it, and the sites of that."""


class SessionGraphs:
    """Describes runs in the catalog."""

    def __init__(self, catalog: Catalog, library: LibraryFunctions, stacks: Stacks) -> None:
        self._catalog = catalog
        self._backward = BackwardPasses(catalog)
        self._library = library
        self._stacks = stacks

    def describe(self, graph: Any, key: RunKey, variables: SessionVariables) -> RunDescription:
        """Enters a kind of run of a graph into the catalog.

        Args:
            graph: The Python graph; it is only read.
            key: What the run feeds and fetches.
            variables: Those of the session.
        """
        operations = upstream(graph, key)
        fed = [graph.get_operation_by_name(name).outputs[slot] for name, slot in key.feeds]
        made = [*(tensor.op for tensor in fed), *operations]
        stacks = self._stacks.of_operations([*made, *_differentiated(operations)])
        with self._catalog.lock:
            nodes = (each.node_def for each in operations)
            self._library.learn(graph, (node for node in nodes if self._library.calls(graph, node)))
            variables.learn(operations)
            parts = Parts(operations, key.feeds, self._catalog.next_function)
            parts.number_sites(self._catalog.new_sites(parts.site_count))
            reader = _RunReader(parts, stacks, variables, self._library, frozenset(key.targets))
            watched = [WatchedNode(f"_arg_{name}_{slot}", parts.root.arguments[place], "")
                       for place, (name, slot) in enumerate(key.feeds)]  # fmt: skip
            for part in parts.all:
                described = [*reader.arguments(part, fed), *reader.loops(part), *reader.operations(part)]
                sites = self._backward.marked(described)
                self._catalog.add_sites(sites)
                results = tuple(
                    parts.reference(graph.get_operation_by_name(name).outputs[slot], part) for name, slot in key.fetches
                ) if part is parts.root else parts.results(part)  # fmt: skip
                function = Function(
                    function=part.function,
                    name=display_name(key),
                    runtime_name=part.runtime_name,
                    graph=part.function,
                    arguments=tuple(part.arguments),
                    outputs=results,
                    captures=(NONE,) * len(part.arguments),
                    signature=_signature(fed) if part is parts.root else "",
                )
                self._catalog.add_function(function)
                watched.extend(reader.watched(part))
                watched.extend(self._inside([site for site in sites if site.call in _PARTS], part.path, _DEEPEST))
            readings = readings_behind(operations)
            # Their numbers are the last, as they happen behind all that the run writes.
            first = self._catalog.new_sites(len(readings))
            read = self._backward.marked(sites_of(readings, first, parts, variables, stacks))
            self._catalog.add_sites(read)
        slots = [(reading.operation, site.site) for reading, site in zip(readings, read, strict=True)]
        return RunDescription(function, watched, operations, parts, slots)

    def _inside(self, sites: list[Site], path: str, depth: int) -> Iterator[WatchedNode]:
        """The nodes of the functions that are called, which the runtime inlines."""
        for site in sites if depth else ():
            kinds = _PARTS.get(site.call, ())
            if site.op_type.endswith("Case"):
                kinds = tuple(f"/branch{number}" for number in range(len(site.called)))
            for kind, called in zip(kinds, site.called, strict=False):
                inner = f"{path}/{site.name}{kind}".lstrip("/")
                yield from self._nodes(called, inner)
                yield from self._inside(self._catalog.sites_of_function(called), inner, depth - 1)

    def _nodes(self, runtime_name: str, path: str) -> Iterator[WatchedNode]:
        definition = self._library.definition(runtime_name)
        by_name = {site.name: site for site in self._catalog.sites_of_function(runtime_name)}
        for node in definition.node_def if definition is not None else ():
            site = of_node(by_name, node.name)
            if site is not None and site.argument == NONE and _worth_watching(site.op_type, site.dtypes):
                yield WatchedNode(f"{path}/{node.name}", site.site, path, single=len(site.dtypes) == 1)


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


def _differentiated(operations: list[Any]) -> list[Any]:
    found = {forward.name: forward for forward in map(differentiated, operations) if forward is not None}
    return list(found.values())


def display_name(key: RunKey) -> str:
    """The name of a run in reports: `Session.run(loss, train)`."""
    names = list(dict.fromkeys([*(name for name, _ in key.fetches), *key.targets]))
    return f"Session.run({first_few(names, 3)})"


class _RunReader:
    """Reads the operations of one kind of run."""

    def __init__(
        self,
        parts: Parts,
        stacks: dict[str, int],
        variables: SessionVariables,
        library: LibraryFunctions,
        targets: frozenset[str],
    ) -> None:
        self._parts = parts
        self._targets = targets
        self._library = library
        self._stacks = stacks
        self._variables = variables

    def arguments(self, part: Part, fed: list[Any]) -> Iterator[Site]:
        """The tensors that are fed, or that a loop hands on from iteration to iteration."""
        tensors = fed if part.loop is None else list(self._parts.tensors_taken(part.loop))
        for place, (number, tensor) in enumerate(zip(part.arguments, tensors, strict=True)):
            made = tensor.op if part.loop is None else [*part.loop.enters, *part.loop.constants][place]
            yield Site(
                site=number,
                name=made.name,
                op_type="Placeholder",
                function=part.function,
                stack=self._stacks.get(made.name, NONE),
                dtypes=(type_name(tensor),),
                argument=place,
                attributes="{}" if tensor.value_index else with_composites("{}", made.graph, made.name, 1),
                framework=TENSORFLOW,
            )

    def loops(self, part: Part) -> Iterator[Site]:
        """The loops in a graph, each as one operation."""
        for loop in part.loops:
            given = list(self._parts.tensors_taken(loop))
            yield Site(
                site=self._parts.loop_site(loop),
                name=loop.name,
                op_type="While",
                function=part.function,
                stack=self._stack_of(loop),
                inputs=self._parts.loop_inputs(loop, part),
                dtypes=tuple(type_name(tensor) for tensor in given),
                call=CallKind.WHILE,
                called=(self._parts.condition(loop).runtime_name, self._parts.body(loop).runtime_name),
                framework=TENSORFLOW,
            )

    def operations(self, part: Part) -> list[Site]:
        """The operations."""
        return [self._site(operation, part) for operation in part.operations]

    def watched(self, part: Part) -> Iterator[WatchedNode]:
        """The recorded tensors."""
        for operation in part.operations:
            kinds = tuple(type_name(tensor) for tensor in operation.outputs)
            if _worth_watching(operation.type, kinds) or reads_later(operation):
                site = self._parts.site_of(operation)
                yield WatchedNode(operation.name, site, part.path, puts_out_references(operation), len(kinds) == 1)

    def _stack_of(self, loop: Loop) -> int:
        return self._stacks.get((loop.enters or loop.constants)[0].name, NONE)

    def _site(self, operation: Any, part: Part) -> Site:
        node = operation.node_def
        called = self._library.called_in(operation.graph, node)
        return Site(
            site=self._parts.site_of(operation),
            name=operation.name,
            op_type=operation.type,
            function=part.function,
            stack=self._stacks.get(operation.name, NONE),
            inputs=tuple(self._parts.reference(tensor, part) for tensor in operation.inputs),
            dtypes=tuple(type_name(tensor) for tensor in operation.outputs),
            device=operation.device,
            call=_call_kind(operation.type, called),
            called=called,
            reads=self._variables.read_by(operation),
            writes=self._variables.written_by(operation),
            gradient_of=self._gradient_of(operation),
            attributes=self._attributes(operation),
            framework=TENSORFLOW,
        )

    def _attributes(self, operation: Any) -> str:
        """With the forward operation of a gradient where the run does not need that, so that it has no site."""
        told = with_differentiated(attributes_json(operation.node_def), operation.graph, operation.name)
        told = with_composites(told, operation.graph, operation.name, len(operation.outputs))
        waits_for = [self._parts.site_named(each.name) for each in operation.control_inputs]
        found = with_notes(
            told,
            {WAITS_FOR: [site for site in waits_for if site != NONE], RUNS_ANYWAY: operation.name in self._targets},
        )
        forward = differentiated(operation)
        if forward is None or self._parts.site_named(forward.name) != NONE:
            return found
        of = {"name": forward.name, "op_type": forward.type, "stack": self._stacks.get(forward.name, NONE)}
        return with_notes(found, {"forward": of})

    def _gradient_of(self, operation: Any) -> int:
        """The operation whose gradient another computes, as `tf.gradients` tells; or what makes its result."""
        forward = differentiated(operation)
        if forward is not None and self._parts.site_named(forward.name) != NONE:
            return self._parts.site_named(forward.name)
        if operation.type.endswith("Grad"):
            for tensor in operation.inputs:
                if tensor.op.type == operation.type[: -len("Grad")]:
                    return self._parts.site_named(tensor.op.name)
        return NONE


def _call_kind(op_type: str, called: tuple[str, ...]) -> CallKind:
    """How an operation calls functions; one whose type is none of TensorFlow's is a function itself."""
    if called and op_def_registry.get(op_type) is None:
        return CallKind.CALL
    return fd.CALLS.get(op_type, CallKind.OTHER if called else CallKind.NONE)


def _worth_watching(op_type: str, kinds: tuple[str, ...]) -> bool:
    if op_type in _UNWATCHED:
        return False
    # Constants of whole numbers are shapes and axes.
    return op_type != "Const" or kinds[0] in _FLOATS


def _signature(fed: list[Any]) -> str:
    return "(" + ", ".join(f"{tensor.dtype.base_dtype.name}{_shape(tensor)}" for tensor in fed) + ")"


def _shape(tensor: Any) -> str:
    if tensor.shape.rank is None:
        return "[...]"
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in tensor.shape.as_list()) + "]"
