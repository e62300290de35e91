"""Describes a graph that became a function: its sites, what flows between them, and where the probes go."""

from __future__ import annotations

import weakref
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.attributes import attributes_json, with_notes
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.list_items import ListItems
from tensordbg.backends.tensorflow.functions.node_names import names_in_graph
from tensordbg.backends.tensorflow.functions.slots import SLOT_SITE, SlotRead, slots_of
from tensordbg.backends.tensorflow.internals import differentiated, loop_and_branch_graphs
from tensordbg.backends.tensorflow.keras.layers import KerasLayers
from tensordbg.backends.tensorflow.keras.placed import PlacedOperations
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.backends.tensorflow.tracing.backward import BackwardPasses
from tensordbg.backends.tensorflow.tracing.composites import with_composites
from tensordbg.backends.tensorflow.tracing.data_origins_own import is_own
from tensordbg.backends.tensorflow.tracing.differentiated import with_differentiated
from tensordbg.backends.tensorflow.tracing.handed_on import recorded_in_each_iteration, recorded_results
from tensordbg.backends.tensorflow.tracing.python_names import with_python_names
from tensordbg.backends.tensorflow.tracing.static_shapes import with_shape_of
from tensordbg.backends.tensorflow.variables import READERS, Variables, writes
from tensordbg.model import NONE, RUNS_ANYWAY, WAITS_FOR, CallKind, Function, Site, TensorRef
from tensordbg.operations.frameworks import TENSORFLOW
from tensordbg.recording.catalog import Catalog


@dataclass
class _Graph:
    """What is known of one Python graph; several functions can be made from it."""

    function: int
    sites: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Description:
    """A function described, and what its definition must be given."""

    function: Function
    probes: list[fd.ProbePoint]
    slots: list[SlotRead]
    """What optimizers keep, to be read behind their updates."""
    calls: list[str]
    """Names of the nodes that call other functions and must run."""
    sites: dict[str, int]
    """The site of each node, by the node's name."""
    live: set[str]
    """Names of the nodes that the function needs."""
    graph: Any
    """The FuncGraph that it was made from."""
    is_part: bool
    """Whether it is a loop's body or condition, or a branch."""
    is_loop_body: bool
    is_loop_condition: bool


@dataclass(frozen=True)
class FunctionNotes:
    """Notes on a function beside its graph."""

    notes: tuple[str, ...] = ()
    """What the report should say of it."""
    tracing: str = ""
    """See `Function.tracing`."""


@dataclass(frozen=True)
class RestoredGraph:
    """Names and stacks that another process knew of a graph which was loaded from what it left."""

    name: str
    """Of its Python function."""
    stacks: Mapping[str, int]
    """The stack of each operation, by the operation's name."""
    layers: Mapping[str, str]
    """See `Site.layer`."""
    gradients: Mapping[str, str]
    """The operation whose gradient another is a part of, by that one's name."""


class Graphs:
    """Describes functions in the catalog."""

    def __init__(self, catalog: Catalog, variables: Variables, stacks: Stacks, layers: KerasLayers) -> None:
        self._catalog = catalog
        self._variables = variables
        self.stacks = stacks
        self._layers = layers
        self._backward = BackwardPasses(catalog)
        self._placed = PlacedOperations(catalog.user_code.is_user)
        self._known: weakref.WeakKeyDictionary[Any, _Graph] = weakref.WeakKeyDictionary()
        self.restored: weakref.WeakKeyDictionary[Any, RestoredGraph] = weakref.WeakKeyDictionary()

    def describe(self, runtime_name: str, definition: Any, graph: Any, notes: FunctionNotes) -> Description:
        """Enters the function that was made from `graph` into the catalog.

        Args:
            runtime_name: Unique name in the runtime.
            definition: Its FunctionDef.
            graph: Its FuncGraph.
            notes: What is known of it beside.
        """
        stack = self.stacks.here()
        with self._catalog.lock:
            number = self._catalog.next_function
            known = self._known.get(graph)
            if known is None:
                known = self._known[graph] = _Graph(number)
                weakref.finalize(graph, self._catalog.graph_is_gone, number).atexit = False
            reader = _GraphReader(self._variables, self._known, definition, graph)
            reader.number_sites(self._catalog)
            # A forward pass mostly has the sites of its plain function, all of them known.
            if reader.has_new_sites:
                self._catalog.add_sites(self._backward.marked(self._new_sites(reader, graph), runtime_name))
            function = Function(
                function=number,
                name=self.restored[graph].name if graph in self.restored else _display_name(graph),
                runtime_name=runtime_name,
                graph=known.function,
                arguments=tuple(known.sites[name] for name in reader.argument_names),
                outputs=tuple(reader.references[definition.ret[out.name]] for out in definition.signature.output_arg),
                captures=tuple(reader.argument_variables),
                signature=_signature(graph),
                notes=notes.notes,
                tracing=notes.tracing,
                stack=stack,
            )
            self._catalog.add_function(function)
        live = fd.live_nodes(definition)
        probes = [*reader.argument_probes(), *reader.node_probes(live)]
        calls = [node.name for node in definition.node_def if node.op in fd.CALLS and node.name in live]
        kinds = loop_and_branch_graphs()
        part, body, condition = (isinstance(graph, kind) for kind in (kinds, kinds[0], kinds[1]))
        slots = list(reader.slot_reads(live))
        return Description(function, probes, slots, calls, reader.sites, live, graph, part, body, condition)

    def begin(self) -> None:
        """Prepares for graphs that are built from now on; see `SharedStacks`."""
        self.stacks.shared.begin()
        self._placed.install()

    def end(self) -> None:
        """Expects no more graphs for now."""
        self.stacks.shared.end()
        self._placed.uninstall()

    def forget_what_is_gone(self) -> None:
        """Forgets the graphs that are gone, see `Catalog.forget_what_is_gone`."""
        self._catalog.forget_what_is_gone()

    def _new_sites(self, reader: _GraphReader, graph: Any) -> list[Site]:
        restored = self.restored.get(graph)
        if restored is None:
            return self._layers.label(list(reader.new_sites(self.stacks.of_graph(graph))), graph)
        sites = reader.new_sites(dict(restored.stacks))
        numbers = self._known[graph].sites
        return [
            replace(
                site,
                layer=restored.layers.get(site.name, ""),
                gradient_of=numbers.get(restored.gradients.get(site.name, ""), site.gradient_of),
            )
            for site in sites
        ]


class _GraphReader:
    """Reads one FunctionDef together with the graph it was made from."""

    def __init__(self, variables: Variables, graphs: Mapping[Any, _Graph], definition: Any, graph: Any) -> None:
        self._graphs = graphs
        self._known = graphs[graph]
        self._graph = graph
        self._nodes = list(definition.node_def)
        self._node_by_name = {node.name: node for node in self._nodes}
        self._outputs = {node.name: tuple(fd.outputs(node)) for node in self._nodes}
        self._name_in_graph = names_in_graph(self._nodes, graph)
        self._anyway = frozenset(definition.control_ret.values())
        self._arguments = list(definition.signature.input_arg)
        # A graph whose gradient was taken since it became this function takes more than this function does.
        inputs = graph.inputs[: len(self._arguments)]
        captured = {id(inner): outer for outer, inner in graph.captures}
        self._captured: dict[str, Any] = {
            argument.name: captured.get(id(tensor)) for argument, tensor in zip(self._arguments, inputs, strict=True)
        }
        self._is_part = isinstance(graph, loop_and_branch_graphs())
        self._items = ListItems(graph, self._known.sites, self._name_in_graph)
        self._new_nodes: list[Any] = []
        self._new_arguments: list[tuple[int, Any]] = []
        self.argument_names = [tensor.op.name for tensor in inputs]
        variables.learn(graph.variables)
        self.argument_variables = [
            variables.number_of(tensor) if argument.type == dtypes.RESOURCE else NONE
            for tensor, argument in zip(inputs, self._arguments, strict=True)
        ]
        self._variable_of = {
            argument.name: variable for argument, variable in zip(self._arguments, self.argument_variables, strict=True)
        }
        self.references: dict[str, TensorRef] = {}

    def number_sites(self, catalog: Catalog) -> None:
        """Gives numbers to those that have none yet, and learns which site each tensor comes from."""
        sites = self._known.sites
        arguments = list(zip(self.argument_names, self._arguments, strict=True))
        self._new_arguments = [
            (index, argument) for index, (name, argument) in enumerate(arguments) if name not in sites
        ]
        self._new_nodes = [node for node in self._nodes if self._name_in_graph[node.name] not in sites]
        names = [self.argument_names[index] for index, _ in self._new_arguments]
        for node in self._new_nodes:
            # The numbers tell in which order the program reads and writes a variable.
            names.extend([self._name_in_graph[node.name], *self._slot_keys(node), *self._items.keys(node)])
        first = catalog.new_sites(len(names))
        sites.update((name, first + offset) for offset, name in enumerate(names))
        for name, argument in arguments:
            self.references[argument.name] = TensorRef(sites[name], 0)
        for node in self._nodes:
            for output in self._outputs[node.name]:
                self.references[output.tensor] = TensorRef(self._site(node), output.slot)

    @property
    def has_new_sites(self) -> bool:
        """Whether any were numbered now."""
        return bool(self._new_arguments or self._new_nodes)

    @property
    def sites(self) -> dict[str, int]:
        """The site of each node, by the node's name."""
        return {node.name: self._site(node) for node in self._nodes}

    def new_sites(self, stacks: dict[str, int]) -> Iterator[Site]:
        """Describes the sites that were numbered now."""
        for index, argument in self._new_arguments:
            name = self.argument_names[index]
            yield Site(
                site=self._known.sites[name],
                name=name,
                op_type="Placeholder",
                function=self._known.function,
                stack=stacks.get(name, NONE),
                dtypes=(dtypes.name_of(argument.type),),
                argument=index,
                attributes=with_composites(with_python_names("{}", self._graph, name, 1), self._graph, name, 1),
                framework=TENSORFLOW,
            )
        for node in self._new_nodes:
            site = self._node_site(node, stacks.get(self._name_in_graph[node.name], NONE))
            yield site
            yield from self._slot_sites(node, site)
            yield from self._items.sites(node, site)

    def _slot_keys(self, node: Any) -> list[str]:
        """By which the sites that read an update's slots are known; no operation has such a name."""
        return [f"{self._name_in_graph[node.name]}:{name}" for name in slots_of(node.op).names]

    def _slot_sites(self, update: Any, site: Site) -> Iterator[Site]:
        slots = slots_of(update.op)
        for key, name, position in zip(self._slot_keys(update), slots.names, slots.positions, strict=True):
            handle = update.input[position]
            variable = self._variable_of.get(handle, NONE)
            yield Site(
                site=self._known.sites[key],
                name=f"{site.name}{SLOT_SITE}{name}",
                op_type=slots.reader,
                function=site.function,
                stack=site.stack,
                inputs=(self.references.get(handle, TensorRef(NONE, 0)),),
                dtypes=(dtypes.name_of(update.attr["T"].type),),
                device=site.device,
                reads=(variable,) if variable != NONE else (),
                framework=TENSORFLOW,
            )

    def _site(self, node: Any) -> int:
        return self._known.sites[self._name_in_graph[node.name]]

    def _node_site(self, node: Any, stack: int) -> Site:
        inputs = fd.data_inputs(node)
        touched = tuple(v for v in (self._variable_of.get(name, NONE) for name in inputs) if v != NONE)
        called = fd.called_functions(node)
        return Site(
            site=self._site(node),
            name=self._name_in_graph[node.name],
            op_type=node.op,
            function=self._known.function,
            stack=stack,
            inputs=tuple(self.references.get(name, TensorRef(NONE, 0)) for name in inputs),
            dtypes=tuple(dtypes.name_of(output.dtype) for output in self._outputs[node.name]),
            device=node.device,
            call=fd.CALLS.get(node.op, CallKind.OTHER if called else CallKind.NONE),
            called=called,
            reads=touched if node.op in READERS else (),
            writes=touched if writes(node.op) else (),
            gradient_of=self._gradient_of(node, inputs),
            attributes=self._attributes(node),
            framework=TENSORFLOW,
        )

    def _attributes(self, node: Any) -> str:
        name, told = self._name_in_graph[node.name], attributes_json(node)
        told = with_shape_of(with_differentiated(told, self._graph, name), self._graph, name)
        told = with_notes(told, {WAITS_FOR: list(self._waits_for(node)), RUNS_ANYWAY: node.name in self._anyway})
        told = with_python_names(told, self._graph, name, len(self._outputs[node.name]))
        return with_composites(told, self._graph, name, len(self._outputs[node.name]))

    def _waits_for(self, node: Any) -> Iterator[int]:
        """The sites of what a node only waits for."""
        for name in fd.control_inputs(node):
            if name in self._name_in_graph:
                yield self._known.sites[self._name_in_graph[name]]
            elif name in self.references:
                yield self.references[name].site

    def _gradient_of(self, node: Any, inputs: list[str]) -> int:
        """The operation whose gradient another computes, as `tf.gradients` tells, or what it takes."""
        told = self._noted_forward(node)
        if told != NONE:
            return told
        if not node.op.endswith("Grad"):
            return NONE
        forward = node.op[: -len("Grad")]
        for name in inputs:
            maker = self._node_by_name.get(name.partition(":")[0])
            if maker is not None and maker.op == forward:
                return self._site(maker)
            # A backward function takes what the forward function made as an argument.
            outside: Any = self._captured.get(name)
            if hasattr(outside, "graph") and outside.op.type == forward and outside.graph in self._graphs:
                return self._graphs[outside.graph].sites.get(outside.op.name, NONE)
        return NONE

    def _noted_forward(self, node: Any) -> int:
        name = self._name_in_graph[node.name]
        try:
            forward = differentiated(self._graph.get_operation_by_name(name))
        except (KeyError, ValueError):
            return NONE  # a node that the runtime made
        return NONE if forward is None else self._known.sites.get(forward.name, NONE)

    def argument_probes(self) -> Iterator[fd.ProbePoint]:
        """The function's arguments; of those of a loop or a branch, which are seen where they come from, the state."""
        states = recorded_in_each_iteration(self._graph)
        for name, argument in zip(self.argument_names, self._arguments, strict=True):
            wanted = argument.type in dtypes.RECORDED and not is_own(self._graph, name)
            if wanted and (name in states or not self._is_part):
                site = self._known.sites[name]
                yield fd.ProbePoint(argument.name, argument.type, site, 0, not self._is_part, "")

    def node_probes(self, live: set[str]) -> Iterator[fd.ProbePoint]:
        """The outputs of all operations that run and compute something, and what others hand on under a name."""
        handed_on = recorded_results(self._graph)
        for node in self._nodes:
            name = self._name_in_graph[node.name]
            if node.name not in live or is_own(self._graph, name):
                continue
            yield from self._items.probes(node)
            if node.op in fd.UNPROBED:
                named = [output for output in self._outputs[node.name] if (name, output.slot) in handed_on]
                yield from self._probes(node, named, dtypes.RECORDED)
                continue
            # Constants of whole numbers are shapes and axes, those of strings names and keys.
            wanted = dtypes.FLOATS if node.op == "Const" else dtypes.RECORDED
            yield from self._probes(node, self._outputs[node.name], wanted)

    def _probes(self, node: Any, outputs: Sequence[fd.Output], wanted: Container[int]) -> Iterator[fd.ProbePoint]:
        for output in outputs:
            if output.dtype in wanted:
                yield fd.ProbePoint(output.tensor, output.dtype, self._site(node), output.slot, False, node.device)

    def slot_reads(self, live: set[str]) -> Iterator[SlotRead]:
        """Reads of what optimizers' updates keep of the gradients."""
        for node in self._nodes:
            if node.name in live and slots_of(node.op).names and node.attr["T"].type in dtypes.PROBED:
                for key, position in zip(self._slot_keys(node), slots_of(node.op).positions, strict=True):
                    yield SlotRead(self._known.sites[key], node, position)


def _display_name(graph: Any) -> str:
    """Name of the Python function; a loop's body or a branch bears that of the function it stands in."""
    while isinstance(graph, loop_and_branch_graphs()) and hasattr(graph.outer_graph, "captures"):
        graph = graph.outer_graph
    return str(graph.name)


def _signature(graph: Any) -> str:
    captured = len(graph.captures)
    plain = graph.inputs[: len(graph.inputs) - captured] if captured else graph.inputs
    return "(" + ", ".join(f"{tensor.dtype.name}{_shape(tensor)}" for tensor in plain) + ")"


def _shape(tensor: Any) -> str:
    if tensor.shape.rank is None:
        return "[...]"
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in tensor.shape.as_list()) + "]"
