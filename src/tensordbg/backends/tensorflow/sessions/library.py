"""Describes functions that came into a session's graph as definitions only, as those of a SavedModel do.

The runtime inlines what the graph calls, so its nodes are watched; here they get their sites. Nothing is known of the
Python code behind them. Two graphs may have functions of one name that compute different things, and so may a graph
and this process: what was not traced here bears a name of its own in the trace.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterable
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.attributes import attributes_json
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.contents import are_alike, completed, may_be_described_by
from tensordbg.backends.tensorflow.functions.instrument import Functions
from tensordbg.backends.tensorflow.functions.legacy import LegacyFunctions, called_by, with_usual_calls
from tensordbg.backends.tensorflow.functions.names import own_name
from tensordbg.backends.tensorflow.tracing.backward import BackwardPasses
from tensordbg.model import NONE, CallKind, Function, Site, TensorRef
from tensordbg.operations.frameworks import TENSORFLOW
from tensordbg.recording.catalog import Catalog


class LibraryFunctions:
    """The functions in the libraries of graphs, each described once, and apart from those of the same name."""

    def __init__(self, catalog: Catalog, functions: Functions, legacy: LegacyFunctions) -> None:
        self._catalog = catalog
        self._backward = BackwardPasses(catalog)
        self._functions = functions
        self._legacy = legacy
        self._definitions: dict[str, Any] = {}
        self._own_names: dict[str, list[str]] = {}
        """Those of functions that weren't traced in this process, by their names in graphs."""
        self._names: weakref.WeakKeyDictionary[Any, dict[str, str]] = weakref.WeakKeyDictionary()
        """What the functions of a graph are called here, by their names there."""

    def definition(self, name: str) -> Any:
        """The definition of a function that is described, by its name here; None where there is none."""
        known = self._functions.plain_definition(name)
        return self._definitions.get(name) if known is None else known

    def called_in(self, graph: Any, node: Any) -> tuple[str, ...]:
        """Names here of the functions that a node of a graph calls."""
        names = self._names.get(graph, {})
        return tuple(names.get(name, name) for name in called_by(graph, node))

    def calls(self, graph: Any, node: Any) -> bool:
        """Whether a node of a graph calls functions in a way that the runtime inlines."""
        return node.op in fd.CALLS or called_by(graph, node) == (node.op,)

    def learn(self, graph: Any, nodes: Iterable[Any]) -> None:
        """Describes the functions that nodes of a graph call, and those that these call, where nobody has yet."""
        names = self._names.setdefault(graph, {})
        for name in dict.fromkeys(name for node in nodes for name in called_by(graph, node)):
            if name in names and not self._lacks_sites(names[name]):
                continue
            names[name] = name
            definition = _definition_in(graph, name)
            if definition is not None and definition is not self._functions.plain_definition(name):
                # Those that it calls have lower numbers, as functions that were traced have.
                self.learn(graph, definition.node_def)
                names[name] = self._learn(self._with_our_names(graph, definition))

    def _with_our_names(self, graph: Any, definition: Any) -> Any:
        copy = with_usual_calls(completed(definition), lambda name: _signature_in(graph, name))
        for node in copy.node_def:
            for function, name in zip(fd.functions_of(node), self.called_in(graph, node), strict=True):
                function.name = name
        return copy

    def _learn(self, definition: Any) -> str:
        """Describes a function, unless it is known; returns its name here."""
        plain = str(definition.signature.name)
        if self._was_traced(plain, definition):
            self._definitions[plain] = definition
            return plain
        own = self._own_names.setdefault(plain, [])
        name = next((known for known in own if are_alike(self._definitions[known], definition)), "")
        if not name or self._lacks_sites(name):
            name = name or own_name(plain, len(own) + 1)
            self._describe(name, definition)
            if name not in self._definitions:
                self._definitions[name] = definition
                own.append(name)
        return name

    def _was_traced(self, name: str, definition: Any) -> bool:
        """Whether a function is one that was traced in this process under its name, also if that one is gone."""
        traced = self._functions.plain_definition(name)
        if traced is not None:
            return are_alike(traced, definition)
        sites = self._catalog.sites_of_function(name)
        return bool(sites) and may_be_described_by(definition, sites)

    def _lacks_sites(self, name: str) -> bool:
        """Whether a function that is known has none, or none any more."""
        definition = self.definition(name)
        has_any = definition is not None and (definition.node_def or definition.signature.input_arg)
        return bool(has_any) and not self._catalog.sites_of_function(name)

    def _describe(self, name: str, definition: Any) -> None:
        with self._catalog.lock:
            number = self._catalog.next_function
            reader = _DefinitionReader(definition, number, self._legacy)
            reader.number_sites(self._catalog.new_sites(reader.site_count))
            self._catalog.add_sites(self._backward.marked(reader.sites(), name))
            self._catalog.add_function(
                Function(
                    function=number,
                    name=python_name(definition.signature.name),
                    runtime_name=name,
                    graph=number,
                    arguments=reader.arguments(),
                    outputs=tuple(
                        reader.reference(definition.ret[result.name]) for result in definition.signature.output_arg
                    ),
                    captures=(NONE,) * len(definition.signature.input_arg),
                )
            )


def _definition_in(graph: Any, name: str) -> Any:
    """The FunctionDef of a graph's function, None where it has no such function."""
    held = graph._get_function(name) if graph._is_function(name) else None  # noqa: SLF001  see internals.py
    return getattr(held, "cached_definition", None) or getattr(held, "definition", None)


def _signature_in(graph: Any, name: str) -> Any:
    definition = _definition_in(graph, name)
    return None if definition is None else definition.signature


def python_name(runtime_name: str) -> str:
    """The name of the Python function that TensorFlow made a function's name from."""
    return re.sub(r"^__(?:inference|forward|backward)_(.+)_\d+$", r"\1", runtime_name)


class _DefinitionReader:
    """Reads one FunctionDef."""

    def __init__(self, definition: Any, function: int, legacy: LegacyFunctions) -> None:
        self._name = definition.signature.name
        self._legacy = legacy
        self._arguments = list(definition.signature.input_arg)
        self._nodes = list(definition.node_def)
        self._function = function
        self._references: dict[str, TensorRef] = {}
        self._first = NONE

    @property
    def site_count(self) -> int:
        """How many sites there are."""
        return len(self._arguments) + len(self._nodes)

    def number_sites(self, first: int) -> None:
        """Numbers all sites, from `first`."""
        self._first = first
        for place, argument in enumerate(self._arguments):
            self._references[argument.name] = TensorRef(first + place, 0)
        for place, node in enumerate(self._nodes):
            for output in fd.outputs(node):
                self._references[output.tensor] = TensorRef(first + len(self._arguments) + place, output.slot)

    def arguments(self) -> tuple[int, ...]:
        """The sites of the arguments."""
        return tuple(range(self._first, self._first + len(self._arguments)))

    def reference(self, tensor: str) -> TensorRef:
        """A tensor by its name in the definition."""
        return self._references.get(tensor, TensorRef(NONE, 0))

    def sites(self) -> list[Site]:
        """The arguments and the operations."""
        given = [
            Site(
                site=self._first + place,
                name=argument.name,
                op_type="Placeholder",
                function=self._function,
                stack=NONE,
                dtypes=(dtypes.name_of(argument.type),),
                argument=place,
                framework=TENSORFLOW,
            )
            for place, argument in enumerate(self._arguments)
        ]
        return [*given, *(self._site(place, node) for place, node in enumerate(self._nodes))]

    def _site(self, place: int, node: Any) -> Site:
        called = fd.called_functions(node)
        return Site(
            site=self._first + len(self._arguments) + place,
            name=node.name,
            op_type=node.op,
            function=self._function,
            stack=self._legacy.stack(self._name, node.name),
            inputs=tuple(self.reference(name) for name in fd.data_inputs(node)),
            dtypes=tuple(dtypes.name_of(output.dtype) for output in fd.outputs(node)),
            device=node.device,
            call=fd.CALLS.get(node.op, CallKind.OTHER if called else CallKind.NONE),
            called=called,
            attributes=attributes_json(node),
            framework=TENSORFLOW,
        )
