"""Where two processes first had unlike values in a trained variable, in steps of which digests say that they did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tensordbg.analysis.columns.reading import SummedTrace
from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.program.details import function_name
from tensordbg.analysis.program.locations import Locations
from tensordbg.model import Site

_VALUES = ("size", "negative", "zero", "nan", "min", "max", "sum")
_Key = tuple[str, str, int, int]


@dataclass(frozen=True)
class Unlike:
    """A variable that two processes have unlike."""

    variable: str
    step: int
    alike: int | None
    """The last step before in which a variable was compared, and was the same; None where none was."""
    tensor: str
    function: str
    framework: str
    source: SourceLine | None
    here: float
    """The sum of its elements."""
    there: float


def first_unlike(here: SummedTrace, there: SummedTrace, steps: range) -> Unlike | None:
    """Find the first value of a trained variable in these steps that both have, and have unlike."""
    program = read_program(here)
    others = {key: row for key, _, row in _values(there, read_program(there), steps)}
    alike: set[int] = set()
    for key, site, row in _values(here, program, steps):
        other = others.get(key)
        if other is None:
            continue
        if any(_word(row[name]) != _word(other[name]) for name in _VALUES):
            locations = Locations(program)
            return Unlike(
                variable=key[0],
                step=row["step"],
                alike=max((step for step in alike if step < row["step"]), default=None),
                tensor=f"{site.name}:{row['slot']}",
                function=function_name(program, site),
                framework=site.framework,
                source=locations.own(locations.stack(site.stack)),
                here=row["sum"],
                there=other["sum"],
            )
        alike.add(row["step"])
    return None


def _values(trace: SummedTrace, program: Program, steps: range) -> Iterator[tuple[_Key, Site, dict[str, Any]]]:
    """The values that variables had, in the order of the events."""
    sites = {site.site: name for site in program.sites.values() if (name := _variable_of(program, site))}
    for row in trace.events_of(tuple(sites), steps, ("event", "site", "slot", "step", *_VALUES)).to_pylist():
        site = program.sites[row["site"]]
        yield (sites[row["site"]], site.op_type, row["slot"], row["step"]), site, row


def _variable_of(program: Program, site: Site) -> str:
    """The name of the one trained variable that an operation reads or writes; empty where there is none."""
    known = [program.variables[each] for each in {*site.reads, *site.writes} if each in program.variables]
    return known[0].name if len(known) == 1 and known[0].trainable else ""


def _word(value: float | None) -> str:
    """A number that is equal to itself also where it is NaN."""
    return repr(value)
