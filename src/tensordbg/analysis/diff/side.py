"""One of the two runs: its values, their data flow, and what the analysis knows of the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints, TraceSource
from tensordbg.analysis.diff.edges import Edges, find_edges
from tensordbg.analysis.diff.evaluations import find_times
from tensordbg.analysis.diff.fused import is_fused
from tensordbg.analysis.diff.numbers import Numbers, read_numbers
from tensordbg.analysis.diff.passes import steps_by_passes
from tensordbg.analysis.diff.statistics import find_copies, find_statistics, without_statistics
from tensordbg.analysis.diff.updates import Read, find_updates
from tensordbg.analysis.diff.writes import find_written
from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.flow.values import Values, locate_values
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.events import read_bad, read_events, read_executions
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.program.roles import Roles
from tensordbg.model import NONE, Site, Variable
from tensordbg.operations.frameworks import TORCH
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Operation
from tensordbg.operations.traits import Trait
from tensordbg.trace.program.facts import TraceFacts
from tensordbg.trace.program.optimizers import OptimizerSettings

_NUMBERS = {kind: position for position, kind in enumerate(Kind)}
_NUMBERS[Kind.MASKED_FILL] = _NUMBERS[Kind.SELECT]
"""To choose between a value and one number is to fill that in."""


@dataclass(frozen=True)
class Side:
    """A trace as it is compared; values go by their row in `numbers`."""

    program: Program
    details: Details
    values: Values
    numbers: Numbers
    edges: Edges
    optimizers: tuple[OptimizerSettings, ...] = ()
    """How optimizers were set, in the order of steps."""
    copies: Mapping[int, str] = field(default_factory=dict)
    """The sites at which compiled code writes running statistics, and the names of the variables."""
    to_the_end: bool = True
    """Whether all is there that the run has computed: it did not fail, nor was it recorded in part."""

    @property
    def is_loose(self) -> bool:
        """Whether of no value it is known what it was made from."""
        return len(self.numbers) > 0 and not len(self.edges.child)

    def site(self, row: int) -> Site:
        """Where a value was computed."""
        return self.program.sites[int(self.numbers.site[row])]

    def own_line(self, site: Site) -> SourceLine | None:
        """The innermost line of the program's own at which a site was created."""
        return self.locations.own(self.locations.stack(site.stack))

    def operation(self, row: int) -> Operation:
        """The operation that computed a value."""
        return operation_of(self.site(row))

    def touched(self, row: int) -> list[Variable]:
        """The variables that the operation that computed a value reads or writes."""
        site, variables = self.site(row), self.program.variables
        return [variables[each] for each in (*site.reads, *site.writes) if each in variables]

    def slot(self, row: int) -> int:
        """Which of the outputs of its operation a value is."""
        event = int(self.numbers.event[row])
        return int(self.values.port[event] - self.values.ports.first[self.values.events.site[event]])

    def shape(self, row: int) -> tuple[int, ...] | None:
        """The shape of a value; `None` where it is not known."""
        event = int(self.numbers.event[row])
        return self.details.views([event])[event].shape

    @cached_property
    def locations(self) -> Locations:
        """The lines of the program."""
        return Locations(self.program)

    @cached_property
    def frameworks(self) -> frozenset[str]:
        """The frameworks whose operations computed the values."""
        return frozenset(self.program.sites[site].framework for site in np.unique(self.numbers.site).tolist())

    @cached_property
    def kinds(self) -> Ints:
        """For each value a number of the kind of operation that computed it, the same for both runs."""
        table = np.zeros(len(self.values.ports.first), dtype=np.int64)
        for each in self.program.sites.values():
            table[each.site] = _NUMBERS[operation_of(each).kind]
        result: Ints = table[self.numbers.site]
        return result

    @cached_property
    def read(self) -> frozenset[tuple[int, bytes]]:
        """Size and statistics of all values that were read of variables whole."""
        rows = np.flatnonzero(self.kinds == _NUMBERS[Kind.READ]).tolist()
        return frozenset(self._fingerprint(row) for row in rows)

    def is_read(self, row: int) -> bool:
        """Tells whether a value is what a variable held, though it may be taken where it was made."""
        return self._fingerprint(row) in self.read

    def _fingerprint(self, row: int) -> tuple[int, bytes]:
        return int(self.numbers.size[row]), self.numbers.statistics[row].tobytes()

    @cached_property
    def fused_kinds(self) -> Ints:
        """The kinds of operations whose results compiled kernels keep to themselves: they run, and have no values."""
        fused = [_NUMBERS[operation_of(site).kind] for site in self.program.sites.values() if is_fused(site)]
        result: Ints = np.unique(np.array(fused, dtype=np.int64))
        return result

    @cached_property
    def backward(self) -> Bools:
        """Whether each value belongs to a backward pass."""
        return self.of_sites(lambda site: bool(site.backward))

    @cached_property
    def updates(self) -> Bools:
        """Whether each value is what an optimizer computes of gradients."""
        return find_updates(self.numbers, self.edges, self.backward, self._reads(), self._parts)

    @cached_property
    def seen_sites(self) -> frozenset[int]:
        """The sites of all values that there are; what kernels keep to themselves has none."""
        return frozenset(np.unique(self.numbers.site).tolist())

    @cached_property
    def written(self) -> dict[tuple[int, int], int]:
        """By step and variable the last update that is written to it."""
        return find_written(self.values, self.numbers, self.updates)

    @cached_property
    def time(self) -> Ints:
        """For each value the step of the training that its parameters belong to."""
        return find_times(self.numbers, self.edges, self.backward | self.updates, self._reads(), self._parts)

    def _reads(self) -> Iterator[Read]:
        """What was read of single variables, in the order of the run."""
        for row in np.flatnonzero(self.kinds == _NUMBERS[Kind.READ]).tolist():
            variables = self.program.sites[int(self.numbers.site[row])].reads
            if len(variables) == 1:
                yield row, variables[0]

    @cached_property
    def _parts(self) -> Ints:
        """Of each value a number of the function that computed it, of eager code of the line."""
        table = np.zeros(len(self.values.ports.first), dtype=np.int64)
        lines: dict[object, int] = {}
        for site in np.unique(self.numbers.site).tolist():
            each = self.program.sites[site]
            line = self.own_line(each) if each.function == NONE else None
            table[site] = each.function if each.function != NONE else ~lines.setdefault(line, len(lines))
        result: Ints = table[self.numbers.site]
        return result

    @cached_property
    def in_pipelines(self) -> Bools:
        """Whether each value is of a function of an input pipeline, which no execution runs."""
        in_functions = self.of_sites(lambda site: site.function != NONE)
        result: Bools = in_functions & (self.values.events.execution[self.numbers.event] == NONE)
        return result

    @cached_property
    def statistics(self) -> Bools:
        """Whether each value is a running statistic: a variable that the forward pass updates."""
        return find_statistics(self.values, self.numbers, self.copies)

    def drawn_in_vain(self, agreed: Bools) -> Bools:
        """Marks what is made of random numbers and single ones alone, and goes into nothing else nor into a product.

        So are first values of parameters made. A program may also draw all that it computes with: numbers that the
        other run has drawn too are as good as given ones.
        """
        draws = self.of_sites(lambda site: operation_of(site).has(Trait.VARIES)) & ~agreed
        whole = self.numbers.size > 1
        if not draws.any():
            return draws
        of_whole = self.edges.of(whole[self.edges.parent])
        products = self.of_sites(lambda site: operation_of(site).has(Trait.CONTRACTS))
        other = of_whole.spread((~of_whole.made & ~draws) | products)
        return ~self.edges.spread_back(other)

    @cached_property
    def losses(self) -> Bools:
        """Marks single numbers of which the program takes gradients, or of what a function gives that has made them."""
        ports = Roles(self.values).differentiated_ports()
        result: Bools = (self.numbers.size == 1) & ports[self.values.port[self.numbers.event]]
        return result

    def of_sites(self, wanted: Callable[[Site], bool]) -> Bools:
        """Tells for each value whether its site is wanted."""
        table = np.zeros(len(self.values.ports.first), dtype=np.bool_)
        for each in self.program.sites.values():
            table[each.site] = wanted(each)
        result: Bools = table[self.numbers.site]
        return result

    @cached_property
    def shared_steps(self) -> frozenset[int]:
        """The steps whose gradients are put together with those that other processes take of their share of a batch."""

        def reduces(site: Site) -> bool:
            collective = operation_of(site).collective
            return collective is not None and collective.reduces

        of_gradients = self.backward | self.updates
        taken = self.of_sites(reduces) & (of_gradients | self.edges.has_parent(of_gradients))
        return frozenset(self.numbers.step[taken].tolist())

    @cached_property
    def kept(self) -> Bools:
        """Whether each value is one of a variable that is made for the next step."""
        return self.updates | self.statistics

    def statistic(self, row: int) -> str:
        """Tells which running statistic a value is (`running_var`); empty for all others."""
        if not self.statistics[row]:
            return ""
        written = (self.program.variables.get(each) for each in self.site(row).writes)
        name = next(
            (variable.name for variable in written if variable is not None), self.copies.get(self.site(row).site, "")
        )
        return name.rpartition(".")[2] or f"output {self.slot(row)}"


def read_side(trace: TraceSource, step: int | None = None, last: int | None = None) -> Side:
    """Reads what is compared of a trace: of one step, of those up to one, or of all."""
    program = read_program(trace)
    executions = read_executions(trace, program)
    values = locate_values(program, read_events(trace, executions, *read_bad(trace)), executions)
    numbers = read_numbers(trace, values)
    edges = find_edges(values, numbers.event)
    numbers = replace(numbers, step=_steps(values, numbers, edges))
    copies = find_copies(values, numbers, edges)
    if step is not None:
        numbers, edges = _of_step(numbers, edges, step)
    if last is not None:
        upto = numbers.step <= last
        numbers, edges = numbers.of(upto), edges.among(upto)
    edges = without_statistics(edges, values, numbers, copies)
    facts = trace.facts
    return Side(
        values.program, Details(trace, program), values, numbers, edges, facts.optimizers, copies, _is_whole(facts)
    )


def _is_whole(facts: TraceFacts) -> bool:
    """Tells whether a run came to its end, and nothing of it is left out."""
    end = facts.end
    if end is None or facts.in_part or facts.overwritten:
        return False
    return not (end.exception or end.exit_code or end.signal)


def _steps(values: Values, numbers: Numbers, edges: Edges) -> Ints:
    """The step of each value: as PyTorch's optimizers count them, or by the backward passes of a program without."""
    backward = np.zeros(len(values.ports.first), dtype=np.bool_)
    for each in values.program.sites.values():
        backward[each.site] = bool(each.backward) and each.framework == TORCH
    return steps_by_passes(numbers, edges, backward[numbers.site])


def _of_step(numbers: Numbers, edges: Edges, step: int) -> tuple[Numbers, Edges]:
    """The values of one step, and those of steps before that they are made of, as if that began with them.

    A parameter, or a number that the program has written, may be recorded once, when it is first used.
    """
    wanted = numbers.step == step
    kept = wanted.copy()
    kept[edges.parent[wanted[edges.child]]] = True
    return replace(numbers.of(kept), step=np.full(int(kept.sum()), step)), edges.of(wanted[edges.child]).among(kept)
