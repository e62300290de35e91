"""The line that made a variable of whose shape an error is: where its size was chosen.

Its first write is a part of its making where the framework's own code was making an object then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tensordbg.analysis.columns.reading import shape_of
from tensordbg.analysis.finding import Beginning, SourceLine
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.program.operations import INPUT, named
from tensordbg.model import Site, StatedInput, StatedTensor, Variable
from tensordbg.operations.traits import Trait
from tensordbg.trace.program.facts import Failure

_NUMBER = re.compile(r"\d{1,15}")
_RANGE = re.compile(r"not in \[0, (\d{1,15})\)")
_MAKING = "__init__"
_MOST = 2


def made_variables(
    told: Failure, sites: Iterable[Site], program: Program, locations: Locations, at: SourceLine | None
) -> Iterator[Beginning]:
    """Yields where the variables were made whose shapes the message of an error names.

    Args:
        told: The error.
        sites: The operation that failed, as far as it is known, and those that made what it was given.
        program: Of the trace.
        locations: Its lines.
        at: The line that failed, which is no news.
    """
    for variable in list(_concerned(told, sites, program))[:_MOST]:
        shape = shape_of(variable.shape)
        source = _made_at(variable, program, locations) if shape and _names(told.message, shape) else None
        if source is not None and shape and (at is None or (source.file, source.line) != (at.file, at.line)):
            words = f"the variable {variable.name} was made here with the shape [{', '.join(map(str, shape))}]"
            yield Beginning("shape", "", variable.name, INPUT, words, source)


def _concerned(told: Failure, sites: Iterable[Site], program: Program) -> Iterator[Variable]:
    """The variables that operations read or write, and those that are told as what was refused."""
    numbers = dict.fromkeys(number for each in sites for number in (*each.reads, *each.writes))
    yield from (program.variables[number] for number in numbers if number in program.variables)
    refused: tuple[StatedInput | StatedTensor, ...] = (*told.inputs, *told.tensors[: len(told.inputs)])
    for stated in refused:
        alike = [each for each in program.variables.values() if _is_of(stated, each)]
        if len(alike) == 1 and alike[0].variable not in numbers:
            numbers[alike[0].variable] = None
            yield alike[0]


def _is_of(stated: StatedInput | StatedTensor, variable: Variable) -> bool:
    """Whether what was refused may be a variable: by its name, or as what was read of one of that shape and type."""
    name = stated.tensor.strip().partition(":")[0]
    reads = isinstance(stated, StatedTensor) and named(stated.op_type).has(Trait.READS)
    is_meant = reads or name in (variable.name, variable.name.partition(":")[0])
    return is_meant and stated.shape == shape_of(variable.shape) and stated.dtype == variable.dtype


def _names(message: str, shape: Sequence[int]) -> bool:
    """Whether a message has all sizes of a shape, or the range of its first."""
    numbers = {int(each) for each in _NUMBER.findall(message)}
    ranges = {int(each) for each in _RANGE.findall(message)}
    return (len(shape) > 0 and shape[0] in ranges) or numbers >= set(shape)


def _made_at(variable: Variable, program: Program, locations: Locations) -> SourceLine | None:
    writes = (site for site in sorted(program.sites) if variable.variable in program.sites[site].writes)
    first = next(writes, None)
    stack = () if first is None else locations.stack(program.sites[first].stack)
    own = max((k for k, line in enumerate(stack) if line.user), default=len(stack))
    is_making = any(line.function == _MAKING for line in stack[own + 1 :])
    return locations.own(stack) if is_making else None
