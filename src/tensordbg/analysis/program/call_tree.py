"""A function with all that it calls, opened: each operation once for every place at which it runs.

The runtime inlines calls, loops and branches, and names each operation by the call path: `while/body/_7/while/Sin`.
Here an operation has the same name without the number, so that what is built and what runs can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from tensordbg.analysis.program.control_edges import waits_for
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import CallKind, Function, Site, TensorRef
from tensordbg.operations.kinds import Kind

_PART = re.compile(r"/(cond|body|then|else|branch\d+)/_\d+(?=/|$)")

MOST = 200_000
"""No more operations than that are opened."""

Names = Callable[[Function], Mapping[int, str]]
"""For a function the sites that it has of its graph, each with its name in the runtime; empty where not known."""


@dataclass(frozen=True)
class Instance:
    """An operation at one place."""

    key: str
    """Call path and name."""
    site: Site
    depth: int
    """How many calls it stands in."""
    caller: str
    """Key of the call that it stands in; empty at the root."""
    part: str
    """Which part of that call: `cond`, `body`, `then`, `else`, `branch0`...; empty for a plain call and at the root."""


@dataclass(frozen=True)
class _Block:
    """One function at one place."""

    function: Function
    path: str
    depth: int
    caller: str
    part: str
    names: Mapping[int, str]

    def key(self, site: Site) -> str:
        name = self.names.get(site.site, site.name)
        return f"{self.path}/{name}" if self.path else name


@dataclass
class CallTree:
    """All operations of a function; `sources` and `consumers` follow the data, also into calls and out of them."""

    program: Program
    function: Function
    instances: dict[str, Instance] = field(default_factory=dict)
    """By key, what a call runs after the call."""
    opens: Callable[[str], bool] = lambda _: True
    """Which calls are opened, by their keys."""
    unopened: int = 0
    """How many calls were left closed."""
    _blocks: dict[tuple[str, str], _Block] = field(default_factory=dict)
    _inputs: dict[str, list[tuple[str, int]]] = field(default_factory=dict)

    @cached_property
    def sources(self) -> Mapping[str, tuple[str, ...]]:
        """The operations whose outputs each takes; of a call also its results, of an argument what was given for it."""
        return {key: tuple(dict.fromkeys(self._sources(instance))) for key, instance in self.instances.items()}

    @cached_property
    def consumers(self) -> Mapping[str, tuple[str, ...]]:
        """The reverse of `sources`."""
        found: dict[str, list[str]] = {key: [] for key in self.instances}
        for key, sources in self.sources.items():
            for source in sources:
                found[source].append(key)
        return {key: tuple(keys) for key, keys in found.items()}

    @cached_property
    def results(self) -> tuple[str, ...]:
        """Keys of the operations whose outputs the function gives back."""
        return tuple(self._keys(self._blocks["", ""], self.function.outputs))

    @property
    def arguments(self) -> tuple[str, ...]:
        """Keys of the function's arguments, in order."""
        block, sites = self._blocks["", ""], self.program.sites
        return tuple(block.key(sites[site]) for site in self.function.arguments if site in sites)

    def inputs(self, instance: Instance) -> list[tuple[str, int]]:
        """The inputs of an operation, in order: key and slot."""
        # A call of a training step has a thousand inputs, each of which is asked for by an argument inside.
        if instance.key not in self._inputs:
            self._inputs[instance.key] = self._inputs_of(instance)
        return self._inputs[instance.key]

    def _inputs_of(self, instance: Instance) -> list[tuple[str, int]]:
        block = self._blocks[instance.caller, instance.part]
        sites = self.program.sites
        references = self.program.inputs_of(instance.site.site)
        return [(block.key(sites[ref.site]), ref.slot) for ref in references if ref.site in sites]

    def waits_for(self, instance: Instance) -> list[str]:
        """The operations that one only waits for."""
        block, sites = self._blocks[instance.caller, instance.part], self.program.sites
        keys = (block.key(sites[number]) for number in waits_for(self.program, instance.site))
        return [key for key in keys if key in self.instances]

    def waiting(self, key: str) -> frozenset[str]:
        """Keys of the operations that an operation only waits for, and of those that only wait for it."""
        around = self.instances[key]
        beside = (each for each in self.instances.values() if (each.caller, each.part) == (around.caller, around.part))
        behind = (each.key for each in beside if key in self.waits_for(each))
        return frozenset((*self.waits_for(around), *behind))

    @property
    def opened(self) -> frozenset[str]:
        """The calls that were opened."""
        return frozenset(caller for caller, _ in self._blocks if caller)

    def passed_argument(self, instance: Instance) -> tuple[str, int] | None:
        """The tensor given for an argument of a function that another called: key and slot."""
        if not instance.caller or instance.site.argument < 0:
            return None
        call = self.instances[instance.caller]
        inputs = self.inputs(call)
        position = instance.site.argument + (call.site.call is CallKind.IF)
        return inputs[position] if position < len(inputs) else None

    def results_inside(self, call: Instance) -> Iterator[tuple[int, str, int]]:
        """Yields the results of an opened call: the position of each, and the operation inside, with its slot."""
        sites = self.program.sites
        for part in parts(call.site):
            block = self._blocks.get((call.key, part))
            if block is None or part == "cond":
                continue
            for position, ref in enumerate(block.function.outputs):
                if ref.site in sites:
                    yield position, block.key(sites[ref.site]), ref.slot

    def _sources(self, instance: Instance) -> Iterator[str]:
        block = self._blocks[instance.caller, instance.part]
        yield from self._keys(block, self.program.inputs_of(instance.site.site))
        given = self.passed_argument(instance)
        if given is not None:
            yield given[0]
        for part in parts(instance.site):
            called = self._blocks.get((instance.key, part))
            if called is not None:
                yield from self._keys(called, called.function.outputs)

    def _keys(self, block: _Block, references: tuple[TensorRef, ...] | list[TensorRef]) -> Iterator[str]:
        sites = self.program.sites
        for reference in references:
            site = sites.get(reference.site)
            if site is not None and block.key(site) in self.instances:
                yield block.key(site)

    def open(self, block: _Block, names: Names, most_depth: int | None) -> None:
        """Adds the operations of a function, and of those that it calls."""
        self._blocks[block.caller, block.part] = block
        for site in self.program.sites_of_graph.get(block.function.graph, ()):
            if block.names and site.site not in block.names:
                continue
            key = block.key(site)
            self.instances[key] = Instance(key, site, block.depth, block.caller, block.part)
            called = self.program.called_by(site) if site.call not in (CallKind.NONE, CallKind.OTHER) else []
            closed = (most_depth is not None and block.depth >= most_depth) or not self.opens(key)
            if any(called) and (closed or len(self.instances) > MOST):
                self.unopened += 1
                continue
            for part, function in zip(parts(site), called, strict=False):
                if function is not None and not self._is_open(key, function):
                    path = f"{key}/{part}" if part else key
                    inner = _Block(function, path, block.depth + 1, key, part, names(function))
                    self.open(inner, names, most_depth)

    def _is_open(self, key: str, function: Function) -> bool:
        """Whether a function runs around a call of it: it would never come to an end."""
        instance = self.instances[key]
        block = self._blocks[instance.caller, instance.part]
        while block.function.function != function.function:
            if not block.caller:
                return False
            around = self.instances[block.caller]
            block = self._blocks[around.caller, around.part]
        return True


def call_tree(
    program: Program,
    function: Function,
    names: Names | None = None,
    depth: int | None = None,
    opens: Callable[[str], bool] = lambda _: True,
) -> CallTree:
    """Opens a function.

    Args:
        program: All that the trace describes.
        function: The outermost function.
        names: See `Names`; by default a function has all sites of its graph, under their own names.
        depth: How many levels of calls are opened, None for all.
        opens: Which calls are opened, by their keys; all by default.
    """
    named = names or (lambda _: {})
    tree = CallTree(program, function, opens=opens)
    tree.open(_Block(function, "", 0, "", "", named(function)), named, depth)
    return tree


def parts(site: Site) -> tuple[str, ...]:
    """The names that the runtime gives to what a call runs, in the order of `Site.called`."""
    if site.call is CallKind.WHILE:
        return ("cond", "body")
    if site.call is CallKind.IF:
        if operation_of(site).kind is Kind.CASE:
            return tuple(f"branch{number}" for number in range(len(site.called)))
        return ("then", "else")
    return ("",) if site.call is CallKind.CALL else ()


def without_numbers(name: str) -> str:
    """The name of a running operation without the numbers that the runtime puts into call paths."""
    return _PART.sub(r"/\1", name)
