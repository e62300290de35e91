"""Changes that TensorFlow made to a function's operations: fused, computed beforehand, rewritten, left out or moved."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from tensordbg.analysis.graphs.placing import misplaced
from tensordbg.analysis.program.call_tree import CallTree, without_numbers
from tensordbg.analysis.program.equality import constant_operations, equal_operations
from tensordbg.analysis.program.operations import operation_of
from tensordbg.enumeration import first_few
from tensordbg.model import CallKind
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait
from tensordbg.trace.graphs.graphdef import GraphDefNode

_FUSED_ATTRIBUTES = ("fused_ops", "op_names")
_OPTIMISERS = ("ArithmeticOptimizer/", "ConstantFolding/", "ConstantFoldingCtrl/")
_ENOUGH = 100
"""So many operations are looked for that one which is gone led to."""
_COMPOSED = "/unary_ops_composition"
"""What the optimiser puts behind the name of the last of several operations on one tensor."""
_CALLS = frozenset({"PartitionedCall", "If", "Case", "While"})


class Fate(str, enum.Enum):
    """The ways in which TensorFlow changes an operation."""

    FUSED = "fused"
    """It runs together with others as one operation."""
    FOLDED = "folded"
    """It was computed beforehand: a constant stands in its place."""
    REPLACED = "replaced"
    """Another operation stands in its place."""
    REMOVED = "removed"
    """It does not run."""
    MOVED = "moved"
    """It runs on another device than the program asked for, or than all that it is connected with."""


@dataclass(frozen=True)
class GraphChange:
    """A change to one operation that Python built, or to several that became one."""

    fate: Fate
    operations: tuple[str, ...]
    """Call paths and names; of fused ones in the order of the data."""
    into: str
    """The running operation, where there is one, as `type name`."""
    reason: str
    """In half a sentence."""


@dataclass
class Comparison:
    """A function as it was built, beside the operations that run."""

    tree: CallTree
    running: Mapping[str, GraphDefNode]
    """By name without numbers."""
    made_from: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """For each running operation those that were built and that it stands for."""

    @classmethod
    def of(cls, tree: CallTree, nodes: Iterable[GraphDefNode]) -> Comparison:
        """Finds the operations again by their names."""
        running = {key_of(node): node for node in nodes}
        comparison = cls(tree, running)
        for key in tree.instances:
            if key in running:
                comparison.made_from[key] = (key,)
        for key, node in running.items():
            if node.op_type == "_Arg" and node.integer("index") < len(tree.arguments):
                comparison.made_from[key] = (tree.arguments[node.integer("index")],)
        for change in comparison.fused:
            comparison.made_from[change.operations[-1]] = change.operations
        for change in comparison.rewritten:
            comparison.made_from.update(
                (name, change.operations) for name in comparison.products[change.operations[-1]]
            )
        return comparison

    @cached_property
    def changes(self) -> tuple[GraphChange, ...]:
        """All changes, the fused ones first."""
        return (*self.fused, *self._in_place(), *self._gone(), *self._moved())

    @cached_property
    def fused(self) -> tuple[GraphChange, ...]:
        """Several operations that run as one: under the name of the last."""
        return tuple(
            GraphChange(
                Fate.FUSED,
                self._group(key),
                f"{node.op_type} {node.name}",
                f"run as one {node.op_type}" + _listed(_parts(node)),
            )
            for key, node in self.running.items()
            if key in self.tree.instances and _fuses(node) and node.op_type != self.tree.instances[key].site.op_type
        )

    @cached_property
    def products(self) -> dict[str, list[str]]:
        """The running operations that an optimiser made under names of its own, by the built one in these names."""
        absent = [key for key in self.tree.instances if key not in self.running]
        found: dict[str, list[str]] = {}
        for name in self.running:
            scope, mark, rest = _split_optimiser(name)
            if mark:
                fitting = [key for key in absent if key.startswith(scope) and _ends_with(rest, key[len(scope) :])]
                if fitting:
                    found.setdefault(max(fitting, key=len), []).append(name)
        return found

    @cached_property
    def rewritten(self) -> tuple[GraphChange, ...]:
        """Arithmetic that runs in another form: several additions as one sum, a factor taken out."""
        changes = []
        for head, names in self.products.items():
            op_type = self.tree.instances[head].site.op_type
            group = [key for key in self._group(head) if self.tree.instances[key].site.op_type == op_type]
            nodes = [self.running[name] for name in names if self.running[name].op_type != "Const"]
            nodes = nodes or [self.running[name] for name in names]
            kinds = ", ".join(node.op_type for node in nodes)
            last = f"{nodes[-1].op_type} {nodes[-1].name}"
            changes.append(
                GraphChange(Fate.REPLACED, tuple(group), last, f"arithmetic was simplified: runs as {kinds}")
            )
        return tuple(changes)

    @cached_property
    def _absorbed(self) -> frozenset[str]:
        return frozenset(key for change in (*self.fused, *self.rewritten) for key in change.operations)

    @cached_property
    def _constant(self) -> frozenset[str]:
        return constant_operations(self.tree)

    @cached_property
    def _equal(self) -> dict[int, list[str]]:
        groups: dict[int, list[str]] = {}
        for key, number in equal_operations(self.tree).items():
            groups.setdefault(number, []).append(key)
        return groups

    def _group(self, head: str) -> tuple[str, ...]:
        """The operations that went into a fused one: those before it that are gone themselves."""
        group, waiting = {head: None}, [head]
        while waiting:
            for source in self.tree.sources[waiting.pop()]:
                instance = self.tree.instances[source]
                if source not in self.running and source not in group and instance.site.op_type != "Const":
                    group[source] = None
                    waiting.append(source)
        order = {key: position for position, key in enumerate(self.tree.instances)}
        real = [key for key in group if not self._transparent(key)]
        return tuple(sorted(real, key=lambda key: order[key]))

    def _transparent(self, key: str) -> bool:
        """Whether an operation only stands for others: an argument, a call, something that passes its input on."""
        site = self.tree.instances[key].site
        return site.argument >= 0 or site.call is not CallKind.NONE or site.op_type in {"Identity", "IdentityN", "NoOp"}

    def _in_place(self) -> Iterable[GraphChange]:
        for key, instance in self.tree.instances.items():
            node = self.running.get(key)
            built = instance.site.op_type
            if node is None or key in self._absorbed or node.op_type == built or instance.site.argument >= 0:
                continue
            if node.op_type == "Const" and key in self._constant:
                yield GraphChange(Fate.FOLDED, (key,), f"Const {node.name}", f"{built} was computed beforehand")
            elif not any(built.endswith(call) for call in _CALLS):
                yield GraphChange(
                    Fate.REPLACED, (key,), f"{node.op_type} {node.name}", f"{built} runs as {node.op_type}"
                )
        yield from self.rewritten

    def _gone(self) -> Iterable[GraphChange]:
        for key, instance in self.tree.instances.items():
            inlined = instance.site.call is not CallKind.NONE and bool(instance.site.called)
            if key in self.running or key in self._absorbed or inlined:
                continue
            if instance.site.argument < 0:
                yield GraphChange(Fate.REMOVED, (key,), "", self._why_gone(key))

    def _why_gone(self, key: str) -> str:
        site = self.tree.instances[key].site
        operation = operation_of(site)
        if (operation.has(Trait.PASSES) or operation.kind is Kind.NOTHING) and self._only_passes(key):
            return "it computes nothing" if operation.kind is Kind.NOTHING else "it only passes its input on"
        twin = self._twin(key)
        if twin:
            return f"the same as {twin}, computed once"
        ends = self._ends(key)
        if not ends:
            return "nothing needs what it computes"
        if key in self._constant:
            return f"a constant: its value went into {_some(ends)}"
        return f"the optimiser did without it on the way to {_some(ends)}"

    def _only_passes(self, key: str) -> bool:
        operation = operation_of(self.tree.instances[key].site)
        is_identity = operation.kind in (Kind.IDENTITY, Kind.IDENTITY_OF_SEVERAL)
        return not operation.has(Trait.PASSES) or is_identity or not self._ends(key)

    def _twin(self, key: str) -> str:
        number = self._numbers[key]
        return next((each for each in self._equal[number] if each != key and each in self.running), "")

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {key: number for number, keys in self._equal.items() for key in keys}

    def _ends(self, key: str) -> list[str]:
        """The running operations, or results of the function, that what is gone led to."""
        ends: list[str] = []
        seen, waiting = {key}, [key]
        while waiting and len(ends) < _ENOUGH:
            one = waiting.pop()
            if one in self.tree.results and one not in self.running:
                ends.append(one)
            for consumer in self.tree.consumers[one]:
                if consumer in seen:
                    continue
                seen.add(consumer)
                if consumer in self.running or consumer in self._absorbed:
                    ends.append(consumer)
                else:
                    waiting.append(consumer)
        return ends

    def _moved(self) -> Iterable[GraphChange]:
        for key, reason in misplaced(self.tree, self.running).items():
            node = self.running[key]
            yield GraphChange(Fate.MOVED, (key,), f"{node.op_type} {node.name}", reason)


def key_of(node: GraphDefNode) -> str:
    """The name that a running operation has in a call tree, if it stands for one that was built."""
    return without_numbers(node.name).removesuffix(_COMPOSED)


def _fuses(node: GraphDefNode) -> bool:
    composed = node.op_type.startswith("_") and ("Fused" in node.op_type or "Composition" in node.op_type)
    return composed or bool(_parts(node))


def _parts(node: GraphDefNode) -> tuple[str, ...]:
    """The operations that a fused one names."""
    return next((texts for texts in map(node.texts, _FUSED_ATTRIBUTES) if texts), ())


def _listed(names: tuple[str, ...]) -> str:
    return f" ({', '.join(names)})" if names else ""


def _some(names: list[str]) -> str:
    return first_few(names, 1)


def _split_optimiser(name: str) -> tuple[str, str, str]:
    """Scope, optimiser and rest of a name such as `a/ArithmeticOptimizer/AddOpsRewrite_add_3`."""
    for mark in _OPTIMISERS:
        if mark in name:
            scope, _, rest = name.partition(mark)
            return scope, mark, rest
    return "", "", ""


def _ends_with(rest: str, name: str) -> bool:
    return bool(name) and (rest == name or rest.endswith((f"_{name}", f"/{name}")))
