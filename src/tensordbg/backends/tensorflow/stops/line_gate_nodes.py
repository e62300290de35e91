"""Adds to a function's definition what stops it before and behind the operations that a line of the program made.

A function has no order but that of its data. Where it stops, it shall stand as Python would: so a gate waits for all
operations that were made before it, and for the looks at their tensors, and all that were made later wait for the
gate. It takes in the tensors that it tells of.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.graphs import Description
from tensordbg.backends.tensorflow.functions.waiting import BRANCHING, may_wait, wait_for
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.stops.names_at_hand import Made, NamesAtHand
from tensordbg.backends.tensorflow.tracing.placed_names import places_of
from tensordbg.model import NONE, Frame, Site
from tensordbg.operations.pipeline_names import program_title
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.lines import LineWatch

STOP_OP = "TensordbgStop"
_NAME = "tdbg_stop/"
_MOST_SHOWN = 12
_NUMBERS = itertools.count()
"""Gates have numbers of their own in a process, as a dataset keeps those that it has copied."""

_Named = tuple[tuple[str, int], ...]
"""Names of what a gate takes in, each with its place there."""


@dataclass(frozen=True)
class Gate:
    """Where a function may stop."""

    number: int
    group: int
    """The same for the gates before and behind a line."""
    operation: str
    function: str
    frames: tuple[Frame, ...]
    is_behind: bool
    begins_iteration: bool
    shown: _Named
    named: _Named
    """Python names that conditions may ask for."""


@dataclass
class _Group:
    """Operations that follow each other, all made by one line that was called from the same place."""

    frames: tuple[Frame, ...]
    depth: int
    begin: int
    nodes: list[Any] = field(default_factory=list)
    end: int = 0
    begins_iteration: bool = False
    """See `GraphLine`."""


@dataclass(frozen=True)
class Gates:
    """The gates of one function."""

    placed: tuple[Gate, ...] = ()
    """None where no operation of the function was made at a line of interest."""
    left_out: tuple[Frame, ...] = ()
    """Lines of interest that have none, as some operations of the function need not run."""


def add_gates(definition: Any, described: Description, catalog: Catalog, lines: LineWatch) -> Gates:
    """Adds the gates, and tells of them."""
    return _Placer(definition, described, catalog, lines).place()


def _in_order(nodes: list[Any]) -> list[Any]:
    """The nodes as they were made, but each behind what it waits for: a result may wait for what was made later."""
    place = {node.name: k for k, node in enumerate(nodes)}
    waits = [{place[name] for name in map(fd.node_of, node.input) if name in place} for node in nodes]
    takers: list[list[int]] = [[] for _ in nodes]
    for k, awaited in enumerate(waits):
        for each in awaited:
            takers[each].append(k)
    ready = [k for k, awaited in enumerate(waits) if not awaited]
    found = []
    while ready:
        k = heapq.heappop(ready)
        found.append(nodes[k])
        for taker in takers[k]:
            waits[taker].discard(k)
            if not waits[taker]:
                heapq.heappush(ready, taker)
    return found


def _in_same_code(one: Frame, other: Frame) -> bool:
    return (one.file, one.function) == (other.file, other.function)


class _Placer:
    """Walks through one definition in the order in which its operations were made."""

    def __init__(self, definition: Any, described: Description, catalog: Catalog, lines: LineWatch) -> None:
        self._definition = definition
        self._described = described
        self._catalog = catalog
        self._lines = lines
        self._nodes = _in_order([node for node in definition.node_def if node.name in described.sites])
        self._order = {node.name: k for k, node in enumerate(self._nodes)}
        self._sites = [catalog.site(described.sites[node.name]) for node in self._nodes]
        self._dtypes = fd.dtypes_of(definition)
        self._gates: list[Gate] = []
        # Of the function that was made first from the graph: later ones were made where breakpoints were set.
        stack = catalog.function(described.function.graph).stack
        self._above = () if stack == NONE else catalog.frames(stack)
        self._within: dict[int, tuple[Frame, ...]] = {}
        self._iteration = self._iteration_of()

    def place(self) -> Gates:
        groups = list(self._groups())
        if not groups:
            return Gates()
        if not self._can_wait():
            return Gates(left_out=tuple(dict.fromkeys(group.frames[group.depth] for group in groups)))
        looks = self._looks()
        names = NamesAtHand(self._lines.name_assigned_at, self._described.function.name)
        self._learn_arguments(names)
        learned, last = 0, ""
        for number, group in zip(_NUMBERS, groups):  # noqa: B905  the numbers have no end
            self._learn(names, learned, group.begin)
            before = self._gate(group, number, False, self._taken(group), names)
            self._wait(before, last, looks, learned, group.begin)
            self._learn(names, group.begin, group.end)
            behind = self._gate(group, number, True, self._outputs(group), names)
            self._wait(behind, before, looks, group.begin, group.end)
            learned, last = group.end, behind
        self._hold_up(learned, len(self._nodes), last)
        return Gates(tuple(self._gates))

    def _frames(self, site: Site) -> tuple[Frame, ...]:
        """Where an operation was made, from the function on: above stands the call that had it traced."""
        if site.stack == NONE:
            return ()
        known = self._within.get(site.stack)
        if known is None:
            frames = self._catalog.frames(site.stack)
            shared = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(frames, self._above, strict=False))
            known = self._within[site.stack] = frames[len(list(shared)) :]
        return known

    def _iteration_of(self) -> tuple[Frame, ...]:
        """The line of the `for` of Python that this function is an iteration of, if it is of interest; else nothing."""
        part = self._described.is_part and not self._described.is_loop_body
        frame = next((frame for frame in reversed(self._above) if frame.user), None)
        own = (next((each for each in self._frames(site) if each.user), None) for site in self._sites)
        if part or frame is None or all(each is None or not _in_same_code(each, frame) for each in own):
            return ()
        return (
            (frame,) if self._lines.gives_names_by_iteration(frame) and self._lines.depth((frame,)) is not None else ()
        )

    def _iteration_group(self) -> Iterator[_Group]:
        """The operations of a loop's own line at the beginning of an iteration, where it takes the next element."""
        if self._iteration:
            of_user = [any(frame.user for frame in self._frames(site)) for site in self._sites]
            end = of_user.index(True) if True in of_user else 0
            nodes = [node for node in self._nodes[:end] if node.name in self._described.live]
            yield _Group(self._iteration, 0, 0, nodes, end, begins_iteration=True)

    def _keeps_a_loop(self, frame: Frame) -> bool:
        """Whether what a line makes here is what keeps its loop going, within the loop: counts, whether it goes on."""
        return frame in self._above and self._lines.gives_names_by_iteration(frame)

    def _groups(self) -> Iterator[_Group]:
        yield from self._iteration_group()
        current: _Group | None = None
        for k, (node, site) in enumerate(zip(self._nodes, self._sites, strict=True)):
            if node.name not in self._described.live:
                continue
            frames = self._frames(site)
            depth = self._lines.depth(frames) if frames else None
            if depth is not None and self._keeps_a_loop(frames[depth]):
                continue
            same = current is not None and depth is not None and frames[: depth + 1] == current.frames
            if current is not None and not same:
                yield current
                current = None
            if depth is not None:
                current = current or _Group(frames[: depth + 1], depth, k)
                current.nodes.append(node)
                current.end = k + 1
        if current is not None:
            yield current

    def _can_wait(self) -> bool:
        """Whether all operations run, and once: not in a loop of TensorFlow 1."""
        return all(node.op not in BRANCHING for node in self._nodes)

    def _looks(self) -> list[tuple[int, str]]:
        """The nodes of ours, each with the last of the program's operations that it waits for."""
        known = dict(self._order)
        found = []
        for node in self._definition.node_def:
            if node.name not in self._order:
                known[node.name] = max((known.get(fd.node_of(name), -1) for name in node.input), default=-1)
                found.append((known[node.name], node.name))
        return found

    def _wait(self, gate: str, last: str, looks: list[tuple[int, str]], begin: int, end: int) -> None:
        """Has a gate wait for what was made from the one before it on, which waits for that one."""
        self._hold_up(begin, end, last, but=gate)
        live = [node.name for node in self._nodes[begin:end] if node.name in self._described.live]
        seen = [name for order, name in looks if begin <= order < end or (not last and order < end)]
        wait_for(self._definition.node_def[self._place_of(gate)], [*live, *seen, *([last] if last else [])])

    def _hold_up(self, begin: int, end: int, gate: str, but: str = "") -> None:
        """Has the operations that were made behind a gate wait for it."""
        for node in self._nodes[begin:end] if gate and gate != but else ():
            if node.name in self._described.live and node.op != "Const" and may_wait(node):
                wait_for(node, [gate])

    def _place_of(self, gate: str) -> int:
        return next(k for k, node in enumerate(self._definition.node_def) if node.name == gate)

    def _learn_arguments(self, names: NamesAtHand) -> None:
        function = self._described.function
        outside = names.names_outside(self._described.graph, self._frames_of) if self._described.is_part else {}
        for argument, number in zip(self._definition.signature.input_arg, function.arguments, strict=False):
            site = self._catalog.site(number)
            names.learn_argument([site.name, *outside.get(site.name, [])], argument.name, site.attributes)
            for scope, name in places_of(self._described.graph, site.name):
                names.learn_use(scope, name, argument.name)

    def _frames_of(self, operation: Any) -> tuple[Frame, ...]:
        stack = hooks().stacks.of_operations([operation]).get(operation.name, NONE)
        return () if stack == NONE else self._catalog.frames(stack)

    def _learn(self, names: NamesAtHand, begin: int, end: int) -> None:
        for node, site in zip(self._nodes[begin:end], self._sites[begin:end], strict=True):
            if node.name in self._described.live:
                names.learn(Made(site, self._frames(site), tuple(output.tensor for output in fd.outputs(node))))

    def _taken(self, group: _Group) -> Iterator[str]:
        """What goes into a group of operations."""
        own = {node.name for node in group.nodes}
        for node in group.nodes:
            yield from (name for name in fd.data_inputs(node) if fd.node_of(name) not in own)

    def _outputs(self, group: _Group) -> Iterator[str]:
        """What comes out of it."""
        within = {name for node in group.nodes for name in fd.data_inputs(node)}
        for node in group.nodes:
            yield from (output.tensor for output in fd.outputs(node) if output.tensor not in within)

    def _gate(self, group: _Group, number: int, is_behind: bool, tensors: Iterable[str], names: NamesAtHand) -> str:
        frame = group.frames[group.depth]
        found = names.find(sorted(self._lines.names(frame)), group.frames, set(self._taken(group)))
        named = {name: tensor for name, tensor in found if self._dtypes.get(tensor) in dtypes.PROBED}
        if group.begins_iteration:
            tensors = [*(tensors if is_behind else ()), *named.values()]
        numeric = [tensor for tensor in dict.fromkeys(tensors) if self._dtypes.get(tensor) in dtypes.PROBED]
        taken = list(dict.fromkeys([*numeric[:_MOST_SHOWN], *named.values()]))
        computing = [node for node in group.nodes if node.op != "Const"] or group.nodes or self._nodes
        gate = Gate(
            next(_NUMBERS),
            number,
            self._sites[self._order[computing[-1 if is_behind else 0].name]].name,
            program_title(self._described.function.name, self._above),
            group.frames,
            is_behind,
            group.begins_iteration,
            tuple((self._shown(tensor, named), k) for k, tensor in enumerate(taken[: len(numeric[:_MOST_SHOWN])])),
            tuple((name, taken.index(tensor)) for name, tensor in named.items()),
        )
        self._gates.append(gate)
        node = self._definition.node_def.add(name=f"{_NAME}{gate.number}", op=STOP_OP)
        node.input.extend(taken)
        node.attr["T"].list.type.extend(self._dtypes[tensor] for tensor in taken)
        node.attr["gate"].i = gate.number
        fd.must_run(self._definition, node.name)
        return str(node.name)

    def _shown(self, tensor: str, named: dict[str, str]) -> str:
        """A tensor by its Python name, where it is known, and by its name in the graph."""
        names = [name for name, each in named.items() if each == tensor]
        number = self._order.get(fd.node_of(tensor))
        own = tensor if number is None else f"{self._sites[number].name}:{tensor.rpartition(':')[2]}"
        own = own if ":" in own else f"{own}:0"
        return f"{names[0]} ({own})" if names else own
