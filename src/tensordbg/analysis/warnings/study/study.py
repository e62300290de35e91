"""The study that the rules judge: tensors over the steps, what is made from what, and the part of each in training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tensordbg.advice.lookup import fix
from tensordbg.analysis.columns.reading import Bools, Ints, TraceSource
from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import Executions, read_executions
from tensordbg.analysis.program.held import held_variables
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.program.ports import Ports, number_ports
from tensordbg.analysis.program.roles import Roles
from tensordbg.analysis.warnings.study.misnamed import without_misnamed
from tensordbg.analysis.warnings.study.series import Series, read_series
from tensordbg.analysis.warnings.study.wiring import Wiring, wire
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind

ENOUGH = 5
"""In fewer steps than these nothing is said of how things go."""

_READS = frozenset({Kind.READ, Kind.VARIABLE})
"""They give a variable as a whole; the latter are what TensorFlow 1 has for it."""


@dataclass(frozen=True)
class Finding:
    """One trouble, as a rule sees it."""

    kind: str
    series: int
    """The tensor to name."""
    explanation: str
    suggestion: str
    evidence: Mapping[str, float | int | str]
    gravity: float
    """Among findings of one rule the greater comes first."""
    variable: int = NONE
    row: int = NONE
    """The row of the series that shows it; the last by default."""
    site: int = NONE
    """The operation whose line is shown, where it is not the tensor's own."""
    event: int = NONE
    """The event that shows it, of what is in no series as it has no floating-point numbers."""
    also: tuple[str, ...] = ()
    """What else is in the same trouble, or follows from it."""


Rule = Callable[["Study"], list[Finding]]

_WHOLE = ("bool", "int", "uint")
"""How the names of types begin that hold no fractions, as an optimizer counts its steps."""


@dataclass(frozen=True)
class Study:
    """One trace."""

    trace: TraceSource
    program: Program
    ports: Ports
    wiring: Wiring
    series: Series
    executions: Executions
    runs: Ints
    """How often each eager site was run."""

    @cached_property
    def locations(self) -> Locations:
        """The lines of the program."""
        return Locations(self.program)

    def own_line(self, site: Site) -> SourceLine | None:
        """The program's own line at which an operation was computed."""
        return self.locations.own(self.locations.stack(site.stack))

    @cached_property
    def port(self) -> Ints:
        """The port of each series."""
        result: Ints = self.ports.first[self.series.site] + self.series.slot
        return result

    @cached_property
    def at(self) -> Mapping[int, list[int]]:
        """The series of each port that has any, the longest first."""
        found: dict[int, list[int]] = {}
        for k in np.argsort(-self.series.lengths, kind="stable").tolist():
            found.setdefault(int(self.port[k]), []).append(k)
        return found

    @cached_property
    def words(self) -> tuple[list[str], list[str]]:
        """For each series the dtype of its last tensor, and the shape as a JSON array."""
        last = self.series.event[self.series.starts[1:] - 1]
        table = self.trace.take(last, ["dtype", "shape"])
        return table.column("dtype").to_pylist(), [shape or "" for shape in table.column("shape").to_pylist()]

    @cached_property
    def gradient(self) -> Bools:
        """For each port whether an operation of a backward pass gives it."""
        return self._gradient_site[self.ports.site]

    @cached_property
    def differentiated(self) -> Bools:
        """For each port whether a tape or `tf.gradients` differentiates it; none, where the trace does not tell."""
        return Roles(self.wiring).differentiated_ports()

    @cached_property
    def updating(self) -> Bools:
        """For each port whether it is made from gradients: what an optimizer computes."""
        return self.wiring.descendants(self.gradient) & ~self.gradient

    @cached_property
    def learning(self) -> Bools:
        """For each port whether it is part of the forward pass of what is trained; all, where nothing is."""
        if not self.gradient.any():
            return ~self.gradient
        marked = self.wiring.ancestors(self.gradient) | self.wiring.descendants(self._eager_reads)
        return marked & ~self.gradient & ~self.updating

    @cached_property
    def forward(self) -> Bools:
        """For each port whether it is part of a forward pass, also where no gradient asks for its value."""
        return (self.learning | self.from_trained) & ~self.gradient & ~self.updating

    @cached_property
    def losses(self) -> list[int]:
        """Series of the numbers that a forward pass makes of trained variables: the loss, and what it is made of."""
        made = self.from_trained & ~self.trained_reads & ~self.gradient & ~self.updating
        scalar = self.series.size[self.series.starts[1:] - 1] == self.series.turns[self.series.starts[1:] - 1]
        return [int(k) for k in np.flatnonzero(made[self.port] & scalar)]

    @cached_property
    def trained_reads(self) -> Bools:
        """For each port whether it reads a trained variable for the forward pass."""
        result = np.zeros(len(self.gradient), dtype=np.bool_)
        result[[port for port, variable in self.variable_of.items() if self.is_trained(variable)]] = True
        return result & self.learning

    @cached_property
    def from_trained(self) -> Bools:
        """For each port whether it is made of such reads, or is one."""
        return self.wiring.descendants(self.trained_reads)

    @cached_property
    def reads(self) -> list[tuple[int, int]]:
        """Port and series of each read of a variable."""
        return [(port, k) for port in self.variable_of for k in self.at.get(port, [])]

    @cached_property
    def variable_of(self) -> Mapping[int, int]:
        """The variable that each port reads, of those that read one as a whole."""
        return {
            int(self.ports.first[site.site]): site.reads[0]
            for site in self.program.sites.values()
            if site.reads and operation_of(site).kind in _READS
        }

    @cached_property
    def writers(self) -> Mapping[int, list[Site]]:
        """The operations that change each variable; eager ones that ran once gave it its first value."""
        found: dict[int, list[Site]] = {}
        for site in self.program.sites.values():
            if site.writes and (site.function != NONE or self.runs[site.site] > 1):
                for variable in site.writes:
                    found.setdefault(variable, []).append(site)
        return found

    def is_trained(self, variable: int) -> bool:
        """Whether a variable is meant to be trained, as far as it is known; whole numbers have no gradient."""
        known = self.program.variables.get(variable)
        return known is not None and known.trainable is not False and not known.dtype.startswith(_WHOLE)

    def site(self, k: int) -> Site:
        """The site of a series."""
        return self.program.sites[int(self.series.site[k])]

    def kind(self, port: int) -> Kind:
        """The kind of the operation that gives a port; of what is written out see `written.kind_at`."""
        site = self.wiring.site(port)
        return Kind.OTHER if site is None else operation_of(site).kind

    def fix(self, k: int, kind: str, known: str = "", **words: str) -> str:
        """The fix for a warning on a series, see `advice`."""
        return fix(self.site(k).framework, kind, known, **words)

    def name(self, k: int) -> str:
        """The name of a series: the variable's where it is a read of one, else the tensor's."""
        variable = self.variable_of.get(int(self.port[k]), NONE)
        if variable in self.program.variables:
            return self.program.variables[variable].name
        return f"{self.site(k).name}:{self.series.slot[k]}"

    @cached_property
    def _eager_reads(self) -> Bools:
        """Eager reads of trained variables: the tape gives what was read to the backward pass without being seen."""
        result = np.zeros(len(self.gradient), dtype=np.bool_)
        for port, variable in self.variable_of.items():
            site = self.wiring.site(port)
            result[port] = self.is_trained(variable) and site is not None and site.function == NONE
        return result

    @cached_property
    def _gradient_site(self) -> Bools:
        return Roles(self.wiring).gradient_site


def study(trace: TraceSource, program: Program, end: int) -> Study:
    """Read what the rules look at.

    Args:
        trace: The trace.
        program: What `read_program` gave.
        end: The number of the first event that does not count.
    """
    series = read_series(trace, end, held_variables(program).writes)
    known = np.isin(series.site, np.fromiter(program.sites, dtype=np.int64, count=len(program.sites)))
    series = series if known.all() else series.chosen(known)
    ports = number_ports(program, series.site, series.slot)
    executions = read_executions(trace, program)
    eager = executions.site[executions.function == NONE]
    runs = np.bincount(eager[eager >= 0], minlength=len(ports.first))
    wiring = wire(program, ports, executions)
    # The state of a loop is seen where it is made.
    series = series.chosen(~np.isin(series.site, list(program.loop_arguments)))
    return Study(trace, program, ports, wiring, without_misnamed(series, wiring), executions, runs)


def brings_data(site: Site) -> bool:
    """Whether a site brings data in from outside: an argument, a value from Python, a batch."""
    return operation_of(site).kind in (Kind.ARGUMENT, Kind.BATCH, Kind.INPUT)
