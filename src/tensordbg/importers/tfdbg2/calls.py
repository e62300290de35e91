"""Which operations of a graph run which other graphs, and what they hand over.

Loops and branches are in the log as operations, though not which graphs they run: that is told from the names and the
order of creation. The call of a function by another one is not in the log at all. It is seen only where something
takes its results: an operation that was never created. Calls are matched with the functions by their order. What a
function is given is known only of what it captures, whose names tell; of its other arguments each may be anything that
its caller made before, and that is what `UNKNOWN` stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tensordbg.importers.tfdbg2.graphs import Graph, Graphs, Operation, TensorName
from tensordbg.model import CallKind

UNKNOWN: TensorName = ("", 0)
"""What is handed over, where that can't be told."""

_PART = {
    "cond": re.compile(r".*cond_\d+(_grad_\d+)*"),
    "body": re.compile(r".*body_\d+(_grad_\d+)*"),
    "true": re.compile(r".*true_\d+(_grad_\d+)*"),
    "false": re.compile(r".*false_\d+(_grad_\d+)*"),
    "branch": re.compile(r".*branch\d+_\d+(_grad_\d+)*"),
}
_LAST = 2**62
_CALL_NAME = re.compile(r"(?:.*/)?(?:Stateful)?PartitionedCall(?:_\d+)?")
_PATHS = {CallKind.WHILE: ("cond", "body"), CallKind.IF: ("then", "else"), CallKind.CALL: ("",)}


@dataclass(frozen=True)
class Call:
    """One operation that runs other graphs."""

    name: str
    kind: CallKind
    called: tuple[str, ...]
    """Identifiers of the graphs."""
    inputs: tuple[TensorName, ...]
    order: int
    """Position of the operation; of one that is not in the log, of the first that takes its results."""
    given: int
    """What it takes was created before this position."""
    arguments: Mapping[str, tuple[int, ...]]
    """For each graph and each of its arguments, in order of creation, its position among the arguments."""

    def step(self, part: int) -> str:
        """How a call path spells the way into one of the called graphs."""
        names = _PATHS[self.kind] if len(self.called) <= 2 else tuple(f"branch{k}" for k in range(len(self.called)))
        return f"{self.name}/{names[part]}".rstrip("/")


def find_calls(graphs: Graphs) -> dict[str, list[Call]]:
    """The calls in each graph, by its identifier."""
    inside: dict[str, list[Graph]] = {}
    for graph in graphs.all.values():
        inside.setdefault(graph.outer, []).append(graph)
    finding = _Finding(graphs, inside)
    return {identifier: finding.calls_of(graph) for identifier, graph in graphs.all.items() if graph.name}


@dataclass
class _Finding:
    """The search in all graphs; a graph that was matched is not matched again."""

    graphs: Graphs
    inside: Mapping[str, list[Graph]]
    claimed: set[str] = field(default_factory=set)

    def calls_of(self, graph: Graph) -> list[Call]:
        """The calls in one graph."""
        calls = [self._control(graph, each) for each in graph.operations.values()]
        return [*(call for call in calls if call is not None), *self._functions(graph)]

    def _control(self, graph: Graph, operation: Operation) -> Call | None:
        kind = operation.op_type.removeprefix("Stateless")
        if kind == "While":
            called = self._claim(graph, operation, ("cond", "body"))
            return _loop(graph, operation, called) if len(called) == 2 else None
        if kind == "If":
            called = self._claim(graph, operation, ("true", "false"))
        elif kind == "Case":
            called = [each for each in self._free(graph, operation.order) if _PART["branch"].fullmatch(each.name)]
            self.claimed.update(each.identifier for each in called)
        else:
            return None
        return _branches(operation, called) if len(called) >= 2 else None

    def _claim(self, graph: Graph, operation: Operation, parts: tuple[str, ...]) -> list[Graph]:
        """Of each part the graph that was made last before the operation."""
        found = []
        for part in parts:
            able = [each for each in self._free(graph, operation.order) if _PART[part].fullmatch(each.name)]
            if able:
                self.claimed.add(able[-1].identifier)
                found.append(able[-1])
        return found

    def _free(self, graph: Graph, before: int) -> list[Graph]:
        inner = self.inside.get(graph.identifier, [])
        return [each for each in inner if each.order < before and each.identifier not in self.claimed]

    def _functions(self, graph: Graph) -> Iterator[Call]:
        """The calls of functions: those without a trace in the log but their results."""
        functions = [each for each in self._free(graph, _LAST) if each.closed]
        inner = [each for function in functions for each in self.inside.get(function.identifier, [])]
        functions += [each for each in inner if each.name.startswith("__backward_")]
        functions.sort(key=lambda each: each.order)
        names = list(_missing(graph).items())
        calls: list[Call] = []
        for position, (name, first_use) in enumerate(names):
            able = [each for each in functions if each.order < first_use]
            if able:
                function = functions[position] if len(names) == len(functions) else able[-1]
                calls.append(self._function_call(graph, (name, first_use), function, calls))
        return iter(calls)

    def _function_call(self, graph: Graph, use: tuple[str, int], function: Graph, before: list[Call]) -> Call:
        name, first_use = use
        again = any(function.identifier in call.called for call in before)
        inputs = [UNKNOWN] * len(function.arguments)
        forward = self.graphs.differentiated(function)
        forward_call = next((call for call in before if forward and forward.identifier in call.called), None)
        for position, argument in enumerate(function.arguments):
            made_in = forward or graph
            source = made_in.named_in(argument.name) if argument.captured else None
            if source is not None and forward is None:
                inputs[position] = (source.name, 0)
            elif source is not None and forward is not None and forward_call is not None:
                outputs = (*forward.results(None), *forward.kept_for(function))
                inputs[position] = (forward_call.name, outputs.index((source.name, 0)))
        if forward is None:
            _hand_on_captures(graph, function, inputs, first_use)
        positions = {function.identifier: tuple(range(len(inputs)))}
        given = first_use if again else function.order
        return Call(name, CallKind.CALL, (function.identifier,), tuple(inputs), first_use, given, positions)


def _hand_on_captures(graph: Graph, function: Graph, inputs: list[TensorName], first_use: int) -> None:
    """Finds the variables that a function captured: its first caller captures them too, in their order, to call it."""
    closed = max((operation.order for operation in function.operations.values()), default=function.order)
    fresh = [each.name for each in graph.arguments if each.captured and closed < each.order < first_use]
    waiting = [k for k, each in enumerate(function.arguments) if each.captured and inputs[k] == UNKNOWN]
    if len(fresh) == len(waiting):
        for position, name in zip(waiting, fresh, strict=True):
            inputs[position] = (name, 0)


def _missing(graph: Graph) -> dict[str, int]:
    """The operations that call functions, in their order, and before what each was created: the log lacks them.

    Each is there before it is first named, and before those of a higher number in its name.
    """
    found: dict[str, int] = {}
    for operation in graph.operations.values():
        for name, _ in operation.inputs:
            if name not in graph.operations and _CALL_NAME.fullmatch(name):
                found.setdefault(name, operation.order)
    latest: dict[str, int] = {}
    created: list[tuple[int, int, str]] = []
    for name in sorted(found, key=_number_in_name, reverse=True):
        prefix = name.removesuffix(f"_{_number_in_name(name)}")
        latest[prefix] = min(latest.get(prefix, _LAST), found[name])
        created.append((latest[prefix], _number_in_name(name), name))
    return {name: first_use for first_use, _, name in sorted(created)}


def _number_in_name(name: str) -> int:
    number = name.rpartition("_")[2]
    return int(number) if number.isdecimal() and len(number) < 10 else 0


def _loop(graph: Graph, operation: Operation, called: list[Graph]) -> Call:
    inputs = list(operation.inputs)
    # What a gradient needs of each iteration is added to the loop later, as one more list.
    for argument in called[1].arguments[len(inputs) :]:
        source = graph.named_in(argument.name)
        inputs.append((source.name, 0) if source is not None else UNKNOWN)
    positions = {each.identifier: tuple(range(len(each.arguments))) for each in called}
    return _of_operation(operation, CallKind.WHILE, called, tuple(inputs), positions)


def _branches(operation: Operation, called: list[Graph]) -> Call:
    names = [name for name, _ in operation.inputs[1:]]
    positions = {each.identifier: _matched([argument.name for argument in each.arguments], names) for each in called}
    return _of_operation(operation, CallKind.IF, called, operation.inputs, positions)


def _of_operation(
    operation: Operation,
    kind: CallKind,
    called: list[Graph],
    inputs: tuple[TensorName, ...],
    positions: Mapping[str, tuple[int, ...]],
) -> Call:
    identifiers = tuple(each.identifier for each in called)
    return Call(operation.name, kind, identifiers, inputs, operation.order, operation.order, positions)


def _matched(arguments: list[str], inputs: list[str]) -> tuple[int, ...]:
    """For each argument of a branch the input that it ends with the name of; the rest in their order."""
    free = list(range(len(inputs)))
    found: list[int | None] = []
    for argument in arguments:
        fitting = [k for k in free if argument == inputs[k] or argument.endswith("/" + inputs[k])]
        found.append(fitting[0] if fitting else None)
        free = [k for k in free if not fitting or k != fitting[0]]
    rest = iter([*free, *range(len(inputs), len(inputs) + len(arguments))])
    return tuple(next(rest) if position is None else position for position in found)
