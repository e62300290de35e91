"""Says of every node that a session's run computes whether it is checked, and what it is computed from.

The names are those of the graph as it runs. Nodes of functions that the graph calls are among them, under the names
that they have when the runtime has inlined the calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.check.by_design import is_of_tensorflow
from tensordbg.backends.tensorflow.check.chosen import chosen_nodes
from tensordbg.backends.tensorflow.check.latent import latent_in_definition, latent_in_graph
from tensordbg.backends.tensorflow.check.sessions.waits import waits
from tensordbg.backends.tensorflow.check.tables import IGNORED_OUTPUTS, SAFE, SKIPPED, UNCHECKED, is_checked
from tensordbg.backends.tensorflow.functions.node_names import of_node
from tensordbg.backends.tensorflow.sessions.graph import RunKey
from tensordbg.backends.tensorflow.sessions.parts import Parts
from tensordbg.backends.tensorflow.sessions.variables import REFERENCE_VARIABLES, puts_out_references
from tensordbg.model import NONE, CallKind, Site
from tensordbg.recording.catalog import Catalog

Source = tuple[int, int]
"""A node's place in the list, and one of its outputs."""

_MOST_OUTPUTS = 63
_ALL_OUTPUTS = (1 << _MOST_OUTPUTS) - 1

# In sessions these too put out what was put in, or what a variable holds before it is written.
_PASSING = SKIPPED | SAFE | {
    "RefEnter", "RefExit", "RefIdentity", "RefMerge", "RefNextIteration", "RefSwitch", "StackPopV2", "StackPushV2",
    "PlaceholderWithDefault",
}  # fmt: skip
_UNCHECKED = UNCHECKED | _PASSING | REFERENCE_VARIABLES

_BRANCHES: dict[CallKind, tuple[str, ...]] = {
    CallKind.CALL: ("",),
    CallKind.WHILE: ("/cond", "/body"),
    CallKind.IF: ("/then", "/else"),
}
_EXITS = frozenset({"Exit", "RefExit"})
"""What a value leaves a loop by."""

_DEEPEST = 20


@dataclass
class RunNode:
    """One node."""

    name: str
    site: int
    """`NONE` for what only makes a loop a loop."""
    path: str = ""
    """Of the calls and loops in which it runs."""
    op_type: str = ""
    definition: Any = None
    """Its NodeDef, None for what is fed."""
    checked: int = 0
    """Bit i: output i is checked."""
    foreign: int = 0
    """Bit i: the elements of output i were not checked where they were made."""
    single: bool = True
    reference: bool = False
    """Whether it puts out references to variables."""
    inputs: list[Source | None] = field(default_factory=list)
    """None where it can't be told."""
    waits: list[int] = field(default_factory=list)
    """Places of those that must have been checked before what takes its outputs may run."""
    chosen: bool = False
    """Whether it is only chosen from, so that it is looked at when the choice has put out something bad."""
    behind: list[Source] = field(default_factory=list)
    """Of a choice all that goes into what it chooses from: it is kept until the choice has been checked."""

    def row(self) -> tuple[str, int, int, int, list[Source], list[int]]:
        """As the kernels are told."""
        known = [source for source in self.inputs if source is not None]
        kind = self.reference + 2 * self.single + 4 * (len(known) < len(self.inputs))
        return self.name, kind, self.checked, self.foreign, [*known, *self.behind], self.waits


class RunNodes:
    """Lists the nodes of one kind of run."""

    def __init__(self, catalog: Catalog, plain_definition: Callable[[str], Any]) -> None:
        self._catalog = catalog
        self._plain_definition = plain_definition
        self.all: list[RunNode] = []
        self._places: dict[tuple[str, int], Source] = {}

    def add_run(self, operations: list[Any], parts: Parts, key: RunKey) -> None:
        """Adds what a run feeds, the operations that it needs, and what those call."""
        for place, (name, slot) in enumerate(key.feeds):
            fed = RunNode(f"_arg_{name}_{slot}", parts.root.arguments[place], op_type="Placeholder", foreign=1)
            self._places[name, slot] = (self._add(fed), 0)
        nodes = {operation.name: self._node_of(operation, parts) for operation in operations}
        for operation in operations:
            place = self._add(nodes[operation.name])
            for slot in range(len(operation.outputs)):
                self._places.setdefault((operation.name, slot), (place, slot))
        used = _used(operations, key)
        latent = latent_in_graph(operations, {name for name, _ in key.fetches})
        for operation in operations:
            node = nodes[operation.name]
            node.inputs = [self._place_of(tensor) for tensor in operation.inputs]
            if operation.name in latent or self._is_of_tensorflow(node.site):
                node.foreign = _ALL_OUTPUTS
            if operation.name not in latent:
                node.checked = _checked(operation, used)
        definition = _Definition(
            [operation.node_def for operation in operations], {name: name for name, _ in key.fetches}
        )
        self._leave_unchecked(definition, nodes)
        self._pass_on_foreign()
        places = {name: place for (name, _), (place, _) in self._places.items()}
        for name, others in waits(operations, parts, {name for name, node in nodes.items() if node.checked}).items():
            nodes[name].waits = sorted(places[other] for other in others)
        sites = {name: self._catalog.site(node.site) for name, node in nodes.items() if node.site != NONE}
        for name, site in sites.items():
            if site.call not in _BRANCHES:
                continue
            node = nodes[name]
            self._add_called(site, f"{node.path}/{node.name}".lstrip("/"), node.inputs, _DEEPEST)
            node.inputs = [None]

    def _place_of(self, tensor: Any) -> Source | None:
        """Where a tensor is made; what leaves a loop was looked at in the iteration that made it, not in this one."""
        return None if tensor.op.type in _EXITS else self._places.get((tensor.op.name, tensor.value_index))

    def _add(self, node: RunNode) -> int:
        self.all.append(node)
        return len(self.all) - 1

    def _node_of(self, operation: Any, parts: Parts) -> RunNode:
        return RunNode(
            operation.name,
            parts.site_named(operation.name),
            parts.part_of(operation).path,
            operation.type,
            operation.node_def,
            foreign=sum(1 << slot for slot in range(_MOST_OUTPUTS) if (operation.type, slot) in IGNORED_OUTPUTS),
            single=len(operation.outputs) == 1,
            reference=puts_out_references(operation),
        )

    def _leave_unchecked(self, definition: Any, nodes: Mapping[str, RunNode]) -> None:
        """Has what is only chosen from looked at where it is chosen.

        Args:
            definition: A FunctionDef, or what looks like one.
            nodes: Those that are described, by their names there.
        """
        sites = ((name, node.site) for name, node in nodes.items() if node.site != NONE)
        backward = frozenset(name for name, site in sites if self._catalog.site(site).backward)
        for name, choice in chosen_nodes(definition, backward).items() if nodes else ():
            node, behind = nodes.get(name), nodes.get(choice)
            if node is not None and behind is not None and behind.checked:
                node.checked, node.foreign, node.chosen = 0, _ALL_OUTPUTS, True
                known = [source for source in node.inputs if source is not None]
                behind.behind += [source for source in known if source not in behind.behind]

    def _is_of_tensorflow(self, site: int) -> bool:
        """Whether one of TensorFlow's functions has an operation computed for a purpose of its own."""
        stack = NONE if site == NONE else self._catalog.site(site).stack
        return stack != NONE and is_of_tensorflow(self._catalog.frames(stack))

    def _pass_on_foreign(self) -> None:
        for node in self.all:
            if node.op_type in _PASSING and any(self._is_foreign(source) for source in node.inputs):
                node.foreign = _ALL_OUTPUTS

    def _is_foreign(self, source: Source | None) -> bool:
        return source is not None and bool(self.all[source[0]].foreign >> min(source[1], _MOST_OUTPUTS) & 1)

    def _add_called(self, caller: Site, path: str, given: Sequence[Source | None], depth: int) -> None:
        """Adds the nodes of the functions that an operation calls, which the runtime inlines."""
        kinds = _BRANCHES.get(caller.call, ())
        if caller.op_type.endswith("Case"):
            kinds = tuple(f"/branch{number}" for number in range(len(caller.called)))
        for kind, called in zip(kinds if depth else (), caller.called, strict=False):
            arguments = list(given if caller.call is CallKind.CALL else given[1:])
            if caller.call is CallKind.WHILE:
                arguments = [None] * len(given) if kind == "/cond" else self._turned(path, given)
            self._add_function(called, f"{path}{kind}", arguments, depth)

    def _turned(self, path: str, given: Sequence[Source | None]) -> list[Source | None]:
        """A loop's variables inside it: each comes from a node named after what the loop was given for it."""
        sources: list[Source | None] = []
        names = [None if source is None else self.all[source[0]].name for source in given]
        for name in names:
            if name is None or names.count(name) > 1:
                sources.append(None)
                continue
            own = re.sub(r"^_arg_(.*)_\d+$", r"\1", name)
            switch = RunNode(f"{path}/{own}_switch", NONE, op_type="Switch")
            switch.single = False
            sources.append((self._add(switch), 1))
        return sources

    def _add_function(self, called: str, path: str, arguments: Sequence[Source | None], depth: int) -> None:
        definition = self._plain_definition(called)
        sites = {site.name: site for site in self._catalog.sites_of_function(called)}
        places: dict[tuple[int, int], Source | None] = {}
        for site in sites.values():
            if site.argument != NONE:
                places[site.site, 0] = arguments[site.argument] if site.argument < len(arguments) else None
        latent = latent_in_definition(definition) if definition is not None else frozenset()
        found: list[tuple[RunNode, Site]] = []
        for node in definition.node_def if definition is not None else ():
            known = of_node(sites, node.name)
            if known is None or known.argument != NONE:
                continue
            added = RunNode(f"{path}/{node.name}", known.site, path, node.op, node, single=len(known.dtypes) == 1)
            added.foreign = _bits(slot for op_type, slot in IGNORED_OUTPUTS if op_type == node.op)
            if node.name in latent or self._is_of_tensorflow(known.site):
                added.foreign = _ALL_OUTPUTS
            if node.name not in latent:
                added.checked = _bits(
                    slot for slot, dtype in enumerate(known.dtypes) if dtype in _FLOATS and is_checked(node.op, slot)
                )
            place = self._add(added)
            places.update(((known.site, slot), (place, slot)) for slot in range(len(known.dtypes)))
            found.append((added, known))
        for added, known in found:
            added.inputs = [places.get((reference.site, reference.slot)) for reference in known.inputs]
        self._leave_unchecked(definition, {added.definition.name: added for added, _ in found})
        for added, known in found:
            if known.call in _BRANCHES:
                self._add_called(known, added.name, added.inputs, depth - 1)
                added.inputs = [None]


def nodes_behind(slots: Iterable[tuple[Any, int]]) -> list[RunNode]:
    """The nodes of the run behind a run: operations that read what its updates have left, and the sites of that."""
    return [
        RunNode(
            operation.name, site, "", operation.type, operation.node_def,
            checked=1, reference=puts_out_references(operation),
        )
        for operation, site in slots
    ]  # fmt: skip


@dataclass(frozen=True)
class _Definition:
    """The operations of a run, as a FunctionDef has them."""

    node_def: Sequence[Any]
    ret: Mapping[str, str]
    """What is fetched."""


_FLOATS = frozenset(dtypes.name_of(enum) for enum in dtypes.FLOATS)


def _bits(slots: Iterable[int]) -> int:
    return sum(1 << slot for slot in slots if slot < _MOST_OUTPUTS)


def _used(operations: list[Any], key: RunKey) -> set[tuple[str, int]]:
    """The tensors that something looks at; of what is only waited for all outputs count."""
    used = {*key.fetches}
    used.update((tensor.op.name, tensor.value_index) for operation in operations for tensor in operation.inputs)
    waited = {before for operation in operations for before in operation.control_inputs}
    for operation in operations:
        if operation in waited or operation.name in key.targets:
            used.update((operation.name, slot) for slot in range(len(operation.outputs)))
    return used


def _checked(operation: Any, used: set[tuple[str, int]]) -> int:
    if operation.type in _UNCHECKED and not _reads_reference(operation):
        return 0
    return _bits(
        slot
        for slot, tensor in enumerate(operation.outputs)
        if tensor.dtype.as_datatype_enum % 100 in dtypes.FLOATS
        and (operation.name, slot) in used
        and (operation.type, slot) not in IGNORED_OUTPUTS
    )


def _reads_reference(operation: Any) -> bool:
    """Whether it puts out what a variable by reference holds."""
    if operation.type != "Identity" or puts_out_references(operation):
        return False
    return any(tensor.dtype._is_ref_dtype for tensor in operation.inputs)  # noqa: SLF001  described in internals.py
