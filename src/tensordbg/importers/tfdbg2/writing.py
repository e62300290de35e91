"""Writes the executions and tensors of a log into a trace."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

from tensordbg.importers.tfdbg2.executions import Execution, History, Trace, is_function
from tensordbg.importers.tfdbg2.graphs import Graph
from tensordbg.importers.tfdbg2.program import Chain, Program
from tensordbg.importers.tfdbg2.stacks import Stacks
from tensordbg.importers.tfdbg2.variables import Variables, reads, writes
from tensordbg.model import NONE, CallKind, Site
from tensordbg.operations.frameworks import TENSORFLOW
from tensordbg.trace.events import UNKNOWN_INPUT, EventWriter, ExecutionEvent, Moment, input_reference
from tensordbg.trace.writer import TraceWriter

_MOST_SLOTS = 2**16
_MOST_NAMES = 2**16 - 1


@dataclass
class Names:
    """Gives numbers to names; 0 is ""."""

    numbers: dict[str, int] = field(default_factory=lambda: {"": 0})

    def number(self, name: str) -> int:
        """The number of a name."""
        return self.numbers.get(name, 0) if len(self.numbers) > _MOST_NAMES else self._add(name)

    def _add(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))


@dataclass
class HistoryWriter:
    """Writes all executions of a log, each with its tensors."""

    program: Program
    variables: Variables
    stacks: Stacks
    trace: TraceWriter
    events: EventWriter
    paths: Names = field(default_factory=Names)
    devices: Names = field(default_factory=Names)
    _makers: dict[int, int] = field(default_factory=dict)
    """For each tensor the reference of what made it."""
    _eager_sites: dict[tuple[str, tuple[str, ...], tuple[int, ...]], int] = field(default_factory=dict)
    _steps: Counter[object] = field(default_factory=Counter)
    _chains: dict[tuple[str, str], list[Chain]] = field(default_factory=dict)

    def write(self, history: History) -> None:
        """Writes everything.

        Raises:
            RecordingError: If it can't be written.
        """
        for execution in history.executions:
            if execution.graph is not None and execution.graph.identifier in self.program.functions:
                self._call(execution, execution.graph)
            else:
                self._operation(execution)
        turns = _Iterations()
        for trace in history.orphans:
            self._traced(NONE, "", trace, turns)
        self.events.names("path", self.paths.numbers)
        self.events.names("device", self.devices.numbers)

    def _call(self, execution: Execution, graph: Graph) -> None:
        record = execution.record
        site = self._eager_site(execution, graph.name, CallKind.CALL)
        step = self._next_step(graph.name)
        function = self.program.functions[graph.identifier]
        event = ExecutionEvent(site, step, function, self._inputs(execution))
        number = self.events.begin(event, nanoseconds(execution.begin))
        self._made(number, record.outputs)
        turns = _Iterations()
        for trace in execution.traces:
            self._traced(number, graph.identifier, trace, turns)
        if math.isfinite(execution.time):
            self.events.end(number, nanoseconds(execution.time))

    def _operation(self, execution: Execution) -> None:
        record = execution.record
        kind = CallKind.OTHER if is_function(record.op_type) else CallKind.NONE
        site = self._eager_site(execution, record.op_type, kind)
        time = nanoseconds(execution.time)
        number = self.events.begin(ExecutionEvent(site, self._next_step(site), NONE, self._inputs(execution)), time)
        self._made(number, record.outputs)
        for slot, tensor in enumerate(record.tensors[:_MOST_SLOTS]):
            device = record.devices[slot] if slot < len(record.devices) else NONE
            name = self.program.graphs.devices.get(device, "")
            self.events.tensor(number, (site, slot), tensor, Moment(time, device=self.devices.number(name)))

    def _traced(self, execution: int, root: str, trace: Trace, turns: _Iterations) -> None:
        site = self.program.sites.get(trace.graph, {}).get(trace.operation)
        if site is None or not 0 <= trace.slot < _MOST_SLOTS:
            return
        chains = self._ways(trace.graph, root)
        chain, turn = turns.place(trace, chains)
        moment = Moment(
            nanoseconds(trace.time),
            self.paths.number(chain.path),
            chain.frame,
            turn,
            self.devices.number(trace.device),
        )
        self.events.tensor(execution, (site, trace.slot), trace.tensor, moment)

    def _ways(self, graph: str, root: str) -> list[Chain]:
        if (graph, root) not in self._chains:
            self._chains[graph, root] = self.program.chains(graph, root) or [Chain("", (), 0)]
        return self._chains[graph, root]

    def _inputs(self, execution: Execution) -> list[int]:
        return [self._makers.get(tensor, UNKNOWN_INPUT) for tensor in execution.record.inputs]

    def _made(self, number: int, outputs: tuple[int, ...]) -> None:
        for slot, tensor in enumerate(outputs[:_MOST_SLOTS]):
            self._makers[tensor] = input_reference(number, slot)

    def _next_step(self, key: object) -> int:
        self._steps[key] += 1
        return self._steps[key] - 1

    def _eager_site(self, execution: Execution, name: str, call: CallKind) -> int:
        record = execution.record
        touched = self.variables.touched(execution) if call is CallKind.NONE else ()
        known = self._eager_sites.get((name, record.stack, touched))
        if known is None:
            known = self._eager_sites[name, record.stack, touched] = self.program.next_site
            self.program.next_site += 1
            self.trace.site(
                Site(
                    site=known,
                    name=name,
                    op_type="PartitionedCall" if call is not CallKind.NONE else name,
                    function=NONE,
                    stack=self.stacks.number(record.stack),
                    call=call,
                    reads=touched if reads(name) else (),
                    writes=touched if writes(name) else (),
                    framework=TENSORFLOW,
                )
            )
        return known


@dataclass
class _Iterations:
    """Tells the iterations of loops, and the calls of one function, apart: within one execution they are counted."""

    counts: Counter[tuple[str, str, int, str]] = field(default_factory=Counter)
    reached: Counter[str] = field(default_factory=Counter)
    """The iteration that each body or condition of a loop has reached."""

    def place(self, trace: Trace, chains: list[Chain]) -> tuple[Chain, int]:
        """The way on which a tensor was reached, and the iteration of its innermost loop."""
        key = (trace.graph, trace.operation, trace.slot, trace.device)
        count = self.counts[key]
        self.counts[key] += 1
        chain = chains[min(count, len(chains) - 1)]
        if not chain.loops:
            return chain, 0
        loop = chain.loops[-1]
        if loop == trace.graph:
            self.reached[loop] = max(self.reached[loop], count)
            return chain, count
        # A branch or a function in a loop need not run in every iteration.
        return chain, max(count, self.reached[loop])


def nanoseconds(seconds: float) -> int:
    """A time of the log as a trace has it; 0 for one that makes no sense."""
    return int(seconds * 1e9) if 0 <= seconds < 2**33 else 0
