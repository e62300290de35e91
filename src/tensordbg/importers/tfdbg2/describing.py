"""Describes the program of a log in the words of a trace: its sites and functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tensordbg.importers.tfdbg2.calls import UNKNOWN, Call
from tensordbg.importers.tfdbg2.graphs import Graph, Operation, TensorName
from tensordbg.importers.tfdbg2.program import Program, unrecorded
from tensordbg.importers.tfdbg2.stacks import Stacks
from tensordbg.importers.tfdbg2.variables import Variables, reads, writes
from tensordbg.model import NONE, CallKind, Function, Site, TensorRef
from tensordbg.operations.frameworks import TENSORFLOW

UNRECORDED = "Unrecorded"
"""Type of the sites that stand for what the log does not tell: which tensors a function was given."""


@dataclass(frozen=True)
class Describer:
    """Makes the rows of sites and functions."""

    program: Program
    variables: Variables
    stacks: Stacks
    dtypes: Mapping[tuple[str, str, int], str]
    """By graph, operation and slot, as far as events tell."""

    def sites(self) -> Iterator[Site]:
        """All sites of graphs."""
        for graph in self.program.graphs.all.values():
            if graph.identifier in self.program.sites:
                arguments = self._arguments(graph)
                for operation in graph.operations.values():
                    yield self._operation(graph, operation, arguments)
                for call in self.program.calls.get(graph.identifier, ()):
                    yield from self._unseen(graph, call)

    def function(self, graph: Graph) -> Function:
        """The row of a graph."""
        number = self.program.functions[graph.identifier]
        arguments = sorted(self._arguments(graph).items(), key=lambda item: item[1])
        results = self._results(graph)
        for backward in self.program.graphs.all.values():
            if self.program.graphs.differentiated(backward) is graph:
                results += [name for name in graph.kept_for(backward) if name not in results]
        return Function(
            function=number,
            name=graph.name,
            runtime_name=self.program.runtime_name(graph),
            graph=number,
            stack=self.stacks.number(next(iter(graph.operations.values())).stack),
            arguments=tuple(self.program.sites[graph.identifier][name] for name, _ in arguments),
            outputs=tuple(self.program.reference(graph, name) for name in results),
            captures=tuple(self.variables.of_argument(graph, name) for name, _ in arguments),
        )

    def _results(self, graph: Graph) -> list[TensorName]:
        """What a graph returns; a loop's body also returns what it captured, as it is."""
        returned = list(graph.results(None))
        for outer in self.program.graphs.all.values():
            for call in self.program.calls.get(outer.identifier, ()):
                if call.kind is CallKind.WHILE and call.called[1] == graph.identifier:
                    own = [name for name in returned if graph.operations[name[0]].op_type == "Identity"]
                    count = outer.operations[call.name].outputs
                    captured = [(argument.name, 0) for argument in graph.arguments[len(own) : count]]
                    return [*own, *captured, *(name for name in returned if name not in own)]
        return returned

    def _arguments(self, graph: Graph) -> dict[str, int]:
        """Positions of a graph's arguments, by name."""
        names = [argument.name for argument in graph.arguments]
        calls = (call for calls in self.program.calls.values() for call in calls if graph.identifier in call.called)
        call = next(calls, None)
        return dict(zip(names, call.arguments[graph.identifier] if call else range(len(names)), strict=True))

    def _operation(self, graph: Graph, operation: Operation, arguments: Mapping[str, int]) -> Site:
        call = self.program.call_of(graph, operation.name)
        inputs = call.inputs if call else operation.inputs
        slots = range(operation.outputs)
        touched = self.variables.of_operation(graph, tuple(name for name, _ in operation.inputs))
        return Site(
            site=self.program.sites[graph.identifier][operation.name],
            name=operation.name,
            op_type=operation.op_type,
            function=self.program.functions[graph.identifier],
            stack=self.stacks.number(operation.stack),
            inputs=tuple(self.program.reference(graph, name) for name in inputs),
            dtypes=tuple(self.dtypes.get((graph.identifier, operation.name, slot), "") for slot in slots),
            call=call.kind if call else CallKind.NONE,
            called=self._called(call),
            argument=arguments.get(operation.name, NONE),
            reads=touched if reads(operation.op_type) else (),
            writes=touched if writes(operation.op_type) else (),
            gradient_of=self._gradient_of(graph, operation),
            framework=TENSORFLOW,
        )

    def _unseen(self, graph: Graph, call: Call) -> Iterator[Site]:
        """The sites of a call that the log does not hold."""
        sites, function = self.program.sites[graph.identifier], self.program.functions[graph.identifier]
        given = TensorRef(sites.get(unrecorded(call), NONE), 0)
        known = [given if name == UNKNOWN else self.program.reference(graph, name) for name in call.inputs]
        stack = self._stack_of_call(call)
        if UNKNOWN in call.inputs:
            made = self._made_before(graph, call)
            yield Site(given.site, unrecorded(call), UNRECORDED, function, stack, made, framework=TENSORFLOW)
        if call.name not in graph.operations:
            yield Site(
                sites[call.name], call.name, "PartitionedCall", function, stack, tuple(known),
                call=call.kind, called=self._called(call),
                framework=TENSORFLOW,
            )  # fmt: skip

    def _made_before(self, graph: Graph, call: Call) -> tuple[TensorRef, ...]:
        """What a call can have been given: every tensor that was there."""
        able = [each for each in graph.operations.values() if each.order < call.given and each.op_type != "Const"]
        names = [(operation.name, slot) for operation in able for slot in range(operation.outputs)]
        earlier = [each for each in self.program.calls[graph.identifier] if each.order <= call.given]
        names += [(each.name, 0) for each in earlier if each.name not in graph.operations and each is not call]
        return tuple(self.program.reference(graph, name) for name in names)

    def _stack_of_call(self, call: Call) -> int:
        """No stack is known of a call; that of the called function's first operation leads there."""
        called = self.program.graphs.all[call.called[0]]
        first = next(iter(called.operations.values()), None)
        return NONE if first is None else self.stacks.number(first.stack)

    def _called(self, call: Call | None) -> tuple[str, ...]:
        graphs = self.program.graphs.all
        return tuple(self.program.runtime_name(graphs[each]) for each in call.called) if call else ()

    def _gradient_of(self, graph: Graph, operation: Operation) -> int:
        """The operation whose gradient a `...Grad` operation computes, where it takes a result of it."""
        forward = operation.op_type.removesuffix("Grad")
        if forward == operation.op_type:
            return NONE
        for name, _ in operation.inputs:
            if name in graph.operations and graph.operations[name].op_type == forward:
                return self.program.sites[graph.identifier][name]
        return NONE
