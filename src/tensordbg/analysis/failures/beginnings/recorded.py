"""The past of a failed operation as it was recorded: what it was given, and what made that, in whatever function."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tensordbg.analysis.columns.reading import Ints, TraceSource, integers, shape_of, tensor_pieces
from tensordbg.analysis.failures.beginnings.made import Made, steps
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.operands import is_eager
from tensordbg.analysis.flow.values import locate_values
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import Events, Executions, row_of
from tensordbg.analysis.program.execution_part import made_from, part_of
from tensordbg.analysis.program.held import held_variables
from tensordbg.analysis.program.layer_path import layer_path
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.program.operations import operation_of, type_of
from tensordbg.model import NONE, SHAPE_OF, Site, TensorRef
from tensordbg.operations.frameworks import TENSORFLOW, TORCH
from tensordbg.operations.kinds import Kind
from tensordbg.operations.lookup import NUMBER, PARAMETER
from tensordbg.operations.traits import Trait
from tensordbg.trace.program.described import is_shape

_LEVELS = 40
_MOST_EXECUTIONS = 1000
_MOST_EVENTS = 200_000
"""No more are looked at, the last ones."""

_PLACE = ("execution", "site", "slot", "path", "frame", "iteration", "first_bad", "run")
_TOLD = ("dtype", "shape", "min", "max", "sum")


class RecordedPast:
    """The recorded past of one execution, or of the runs of an input pipeline's functions."""

    def __init__(self, trace: TraceSource, program: Program, executions: Executions, row: int, *others: int) -> None:
        """Reads what the walk back may come by.

        Args:
            trace: Where it is recorded.
            program: Of the trace.
            executions: Of the trace.
            row: Of the execution, `NONE` for what no execution caused.
            others: Of further ones, from which it may begin as well.
        """
        self._trace = trace
        self._program = program
        self._locations = Locations(program)
        behind = [made_from(executions, each, _LEVELS, _MOST_EXECUTIONS) for each in (row, *others)]
        rows = np.unique(np.concatenate(behind))
        numbers = executions.number[rows] if len(rows) else np.array([NONE])
        events = _events_of(trace, numbers)
        table = trace.take(events, [*_PLACE, *_TOLD])
        columns = {name: integers(table, name, NONE) for name in _PLACE[1:6]}
        located = Events(
            execution=row_of(executions.number[rows], integers(table, "execution", NONE)),
            **columns,
            bad=integers(table, "first_bad", NONE) != NONE,
            nan=np.zeros(len(events), dtype=np.bool_),
            run=integers(table, "run"),
            unmeasured=None,
        )
        self.values = locate_values(program, located, part_of(executions, rows))
        self.events = events
        """The number in the trace of each event here."""
        self._rows: list[dict[str, Any]] = table.select(list(_TOLD)).to_pylist()
        self._flow = Flow(self.values, self.values.ports.inputs)
        self.is_cut = len(events) >= _MOST_EVENTS
        """Whether there may be more events than were read."""
        self._own = int(np.searchsorted(rows, row)) if row != NONE else NONE

    def failed_inputs(self, site: Site) -> Sequence[Made | None]:
        """The inputs of the operation that failed in the execution, at the place where it was run last."""
        if site.function == NONE:
            return [] if self._own == NONE else self._eager_inputs(self._own)
        site, failed = self.failed_at(site)
        return self.inputs_at(failed[-1], site) if failed else []

    def failed_at(self, site: Site) -> tuple[Site, list[int]]:
        """The runs of a graph in which an operation may have failed, and the operation that stands for it there."""
        failed = self.failed_invocations(site)
        if (
            not failed
            and operation_of(site).kind is Kind.ASSERT
            and (branch := self._program.holders.get(site.function)) is not None
        ):
            # It is alone in a branch that is taken where its condition does not hold, so nothing is recorded there.
            return branch, self.failed_invocations(branch)
        return site, failed

    def inputs_at(self, invocation: int, site: Site) -> Sequence[Made | None]:
        """The inputs of an operation of a graph in one of the runs of its graph."""
        return self._graph_inputs(invocation, site)

    def in_graph(self, invocation: int, ref: TensorRef) -> Made | None:
        """An output of an operation of a graph in one of the runs of its graph."""
        port = self.values.ports.of(ref)
        return self._made(invocation, port) if port != NONE else None

    def last_of_shape(self, refs: Iterable[TensorRef], shape: tuple[int, ...]) -> Made | None:
        """The last of some outputs of graphs that was recorded with a shape."""
        ports = [self.values.ports.of(ref) for ref in refs]
        for event in np.flatnonzero(np.isin(self.values.port, ports) & (self.values.port != NONE))[::-1].tolist():
            if shape_of(self._rows[event].get("shape")) == shape:
                return self._made(int(self.values.invocation[event]), int(self.values.port[event]))
        return None

    def last_of(self, ref: TensorRef) -> Made | None:
        """Finds what was recorded last of an output of an operation; None where nothing was."""
        found = np.flatnonzero(self.values.port == self.values.ports.of(ref))
        return self.at(int(self.events[found[-1]])) if len(found) else None

    def first_beyond(self, refs: Iterable[TensorRef], sizes: tuple[int, ...]) -> Made | None:
        """The first of some outputs of graphs with as many dimensions of which one is larger; -1 is beyond all."""
        ports = [self.values.ports.of(ref) for ref in refs]
        for event in np.flatnonzero(np.isin(self.values.port, ports) & (self.values.port != NONE)).tolist():
            shape = shape_of(self._rows[event].get("shape"))
            if shape is None or len(shape) != len(sizes):
                continue
            if any(0 <= most < dim for dim, most in zip(shape, sizes, strict=True)):
                return self._made(int(self.values.invocation[event]), int(self.values.port[event]))
        return None

    def __contains__(self, ref: object) -> bool:
        """Whether an event that was read tells of an output of an operation."""
        return isinstance(ref, TensorRef) and self._is_recorded(self.values.ports.of(ref))

    def output(self, execution: int, slot: int) -> Made | None:
        """The output in a slot of the execution with a number; None where that is not known."""
        row = row_of(self.values.executions.number, np.array([execution]))
        port = int(self._flow.made_port(row, np.array([slot]))[0]) if row[0] != NONE else NONE
        return None if port == NONE else self._made(int(row[0]), port)

    def at(self, event: int) -> Made | None:
        """The tensor that an event tells of, by its number in the trace; None where it is not among those read."""
        row = int(np.searchsorted(self.events, event))
        if row >= len(self.events) or self.events[row] != event or self.values.port[row] == NONE:
            return None
        return self._described(int(self.values.invocation[row]), int(self.values.port[row]), row)

    def site_of(self, made: Made) -> int:
        """The number of the site that a tensor is of."""
        return int(self.values.ports.site[made.key[1]]) if isinstance(made.key, tuple) else NONE

    def variable_of(self, made: Made) -> str:
        """The name of the variable that an operation in place, such as an optimizer's, has written; else empty."""
        site = self._program.sites.get(self.site_of(made))
        written = None if site is None or site.site not in held_variables(self._program).writes else site.writes[0]
        return "" if written is None else self._program.variables[written].name

    def ref_of(self, made: Made) -> TensorRef | None:
        """Which output of which site a tensor is; None where it was not computed."""
        if not isinstance(made.key, tuple) or (site := self.site_of(made)) == NONE:
            return None
        return TensorRef(site, int(made.key[1]) - int(self.values.ports.first[site]))

    def inputs(self, made: Made) -> Sequence[Made | None]:
        """See `Past`."""
        invocation, port = made.key if isinstance(made.key, tuple) else (NONE, NONE)
        if not isinstance(invocation, int) or not isinstance(port, int) or port == NONE:
            return []
        site = self.values.program.sites[int(self.values.ports.site[port])]
        if is_eager(self._flow, invocation):
            return self._eager_inputs(invocation)
        if site.argument >= 0 or self.values.ports.followed[site.site]:
            return []
        return self._graph_inputs(invocation, site) or self._shown(invocation, site)

    def failed_invocations(self, site: Site) -> list[int]:
        """The runs of a graph in which an operation has what it takes and gave nothing, the last one last.

        Those come first of which only a part is recorded: what else it takes was not looked at before the run ended.
        """
        values = self.values
        if site.site >= len(values.ports.block):
            return []
        block = values.ports.block[site.site]
        invocations = np.flatnonzero(values.invocations.block == block)
        if not len(invocations):
            return []
        late = invocations[np.argsort(values.invocations.last[invocations], kind="stable")]
        gave = np.zeros(len(late), dtype=np.bool_)
        for slot in range(len(site.dtypes)):
            own = np.full(len(late), values.ports.first[site.site] + slot)
            gave |= values.event(late, own) != NONE
        whole, some = np.ones(len(late), dtype=np.bool_), np.zeros(len(late), dtype=np.bool_)
        refs = self._program.inputs_of(site.site)
        for port in (values.ports.of(ref) for ref in refs):
            if port != NONE and self._is_recorded(port):
                given = values.event(late, np.full(len(late), port)) != NONE
                whole, some = whole & given, some | given
        found: list[int] = np.concatenate([late[some & ~whole & ~gave], late[whole & ~gave]]).tolist()
        return found

    def _is_recorded(self, port: int) -> bool:
        return bool((self.values.port == port).any())

    def _eager_inputs(self, invocation: int) -> list[Made | None]:
        executions = self.values.executions
        first, last = (int(executions.input_starts[invocation + k]) for k in (0, 1))
        row, slot = executions.input_row[first:last], executions.input_slot[first:last]
        ports = self._flow.made_port(row, slot)
        return [self._made(int(r), int(p)) if p != NONE else None for r, p in zip(row, ports, strict=True)]

    def _graph_inputs(self, invocation: int, site: Site) -> list[Made | None]:
        ports = (self.values.ports.of(ref) for ref in self._program.inputs_of(site.site))
        return [self._made(invocation, port) if port != NONE else None for port in ports]

    def _shown(self, invocation: int, site: Site) -> list[Made | None]:
        """The tensor whose shape a constant is."""
        told = json.loads(site.attributes).get(SHAPE_OF) if SHAPE_OF in site.attributes else None
        name, _, slot = told.rpartition(":") if isinstance(told, str) else ("", "", "")
        of = (each for each in self._program.sites.values() if (each.function, each.name) == (site.function, name))
        found = next(of, None)
        if found is None or not slot.isdecimal() or int(slot) >= len(found.dtypes):
            return []
        return [self.in_graph(invocation, TensorRef(found.site, int(slot)))]

    def _made(self, invocation: int, port: int) -> Made:
        """A tensor, under the operation that made it rather than handed it on."""
        told = int(self.values.event(np.array([invocation]), np.array([port]))[0])
        for _ in steps():
            event = int(self.values.event(np.array([invocation]), np.array([port]))[0])
            told = event if event != NONE else told
            before = list(self._before(invocation, port))
            if len(before) != 1:
                break
            ((invocation, port),) = before
        return self._described(invocation, port, told)

    def _before(self, invocation: int, port: int) -> Iterator[tuple[int, int]]:
        """The same tensor one step back, where it was only handed on: by an identity, into a function or out of one."""
        values = self.values
        number = int(values.ports.site[port])
        site = values.program.sites[number]
        if is_eager(self._flow, invocation):
            if operation_of(site).has(Trait.HANDS_ON):
                given = self._flow.sources(np.array([invocation]), np.array([port]))
                slot = port - int(values.ports.first[number])
                if slot < len(given.of):
                    yield int(given.invocation[slot]), int(given.port[slot])
        elif operation_of(site).has(Trait.HANDS_ON) and site.argument < 0:
            slot = port - int(values.ports.first[number])
            for ref in self._program.inputs_of(number)[slot : slot + 1]:
                if (source := values.ports.of(ref)) != NONE:
                    yield invocation, source
        elif site.argument >= 0 or values.ports.followed[number]:
            step = self._flow.sources(np.array([invocation]), np.array([port]))
            yield from zip(step.invocation.tolist(), step.port.tolist(), strict=True)

    def _described(self, invocation: int, port: int, event: int) -> Made:
        values = self.values
        site = values.program.sites[int(values.ports.site[port])]
        slot = port - int(values.ports.first[site.site])
        row = self._rows[event] if event != NONE else {}
        attributes = json.loads(site.attributes or "{}")
        shape = shape_of(row.get("shape"))
        dtype = row.get("dtype") or (site.dtypes[slot] if slot < len(site.dtypes) else "")
        low, high, total = row.get("min"), row.get("max"), row.get("sum")
        constant = attributes.get("value") if operation_of(site).kind is Kind.CONSTANT else None
        if not row and constant is not None and (elements := _elements(constant)) is not None:
            shape = elements.shape
            low, high, total = float(elements.min()), float(elements.max()), float(elements.sum())
        return Made(
            key=(invocation, port),
            tensor=self._name(site, slot),
            op_type=site.op_type,
            dtype=dtype,
            shape=shape,
            source=self._locations.own(self._locations.stack(self._stack_of(site, invocation))),
            low=low,
            high=high,
            total=total,
            attributes=attributes,
            event=NONE if event == NONE else int(self.events[event]),
            layer=layer_path(site),
            earlier=self._earlier(site, slot, shape),
            shared=site.framework == TORCH,
            plain=site.op_type == NUMBER,
        )

    def _stack_of(self, site: Site, invocation: int) -> int:
        """That of the call by which a function was given an argument: its own is that of the first call."""
        executions = self.values.executions
        if site.argument < 0 or not 0 <= invocation < len(executions.site):
            return site.stack
        calls = self._program.sites.get(int(executions.site[invocation]))
        return site.stack if calls is None or calls.stack == NONE else calls.stack

    def _name(self, site: Site, slot: int) -> str:
        """Name and slot; of what a variable held, the variable's name."""
        held = self._program.variables.get(site.reads[0]) if site.op_type == PARAMETER and site.reads else None
        return f"{site.name}:{slot}" if held is None else held.name

    def _earlier(self, site: Site, slot: int, shape: tuple[int, ...] | None) -> tuple[tuple[int, ...], ...]:
        if not operation_of(site).has(Trait.FROM_PIPELINE) or shape is None:
            return ()
        shapes = self._shapes_of_pipelines.get((site.site, slot), [])
        return tuple(each for each in shapes if each != shape)

    @cached_property
    def _shapes_of_pipelines(self) -> dict[tuple[int, int], list[tuple[int, ...]]]:
        """The shapes of all that came out of input pipelines, each once, in the order in which they came last."""
        sites = [site.site for site in self._program.sites.values() if operation_of(site).has(Trait.FROM_PIPELINE)]
        found: dict[tuple[int, int], dict[str, None]] = {}
        for _, table in tensor_pieces(self._trace, ["site", "slot", "shape"]) if sites else ():
            number, slot = integers(table, "site"), integers(table, "slot")
            rows = np.flatnonzero(np.isin(number, sites))
            texts = table.column("shape").take(rows).to_pylist()
            for row, text in zip(rows.tolist(), texts, strict=True):
                seen = found.setdefault((int(number[row]), int(slot[row])), {})
                seen.pop(text, None)
                seen[text] = None
        return {key: [shape for text in seen if (shape := shape_of(text)) is not None] for key, seen in found.items()}


def with_variable(given: Sequence[Made | None], site: Site, program: Program) -> Sequence[Made | None]:
    """Puts the variable that an operation writes, with its shape, in the place of the variable's handle."""
    variable = program.variables.get(site.writes[0]) if site.writes else None
    if variable is None or not given or not is_shape(variable.shape):  # parts of it may not be known
        return given
    shape = shape_of(variable.shape)
    return [
        Made(
            ("variable", site.writes[0]),
            variable.name,
            type_of(Kind.VARIABLE, site.framework or TENSORFLOW),
            variable.dtype,
            shape,
            None,
        ),
        *given[1:],
    ]


def _events_of(trace: TraceSource, numbers: Ints) -> Ints:
    """The events of some executions, ascending."""
    found = []
    for rows, table in tensor_pieces(trace, ["execution"]):
        found.append(rows.start + np.flatnonzero(np.isin(integers(table, "execution", NONE), numbers)))
    events: Ints = np.concatenate([np.empty(0, dtype=np.int64), *found])
    return events[-_MOST_EVENTS:]


def constant_of(made: Made) -> np.ndarray[Any, Any] | None:
    """The numbers of a constant that stand in the graph; None where they don't, and of what is no constant."""
    value = made.attributes.get("value") if made.operation.kind is Kind.CONSTANT else None
    return None if value is None else _elements(value)


def _elements(constant: object) -> np.ndarray[Any, Any] | None:
    """The numbers of a constant that is small enough to stand among the attributes; None for any other."""
    try:
        elements = np.array(constant)
    except ValueError:  # lists of several lengths, which nobody wrote there
        return None
    return elements if elements.size and elements.dtype.kind in "iuf" else None
