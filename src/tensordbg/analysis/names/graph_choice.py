"""Which part of which graph is meant by a name: a function, or any name of an operation, a tensor or a layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from tensordbg.analysis.names.listing import recorded_tensors, split_slot
from tensordbg.analysis.names.naming import AllTensors, Named, find_named, nearest
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.program.function_choice import choose_function, tensors_of_graphs
from tensordbg.analysis.program.places import BODY
from tensordbg.errors import UsageError
from tensordbg.model import NONE, CallKind, Site
from tensordbg.trace.reader import TraceReader


@dataclass(frozen=True)
class ChosenPart:
    """A function, and the operation in it that was meant."""

    function: str
    """Name or number."""
    around: str = ""
    """Name of the operation; empty for the whole function."""


def choose_part(reader: TraceReader, typed: str) -> ChosenPart:
    """The function of a name, or that in which an operation of that name is; of several that which ran most often.

    Raises:
        UsageError: If there is neither.
    """
    program = read_program(reader)
    try:
        choose_function(reader, program, typed)
        return ChosenPart(typed)
    except UsageError as error:
        recorded = recorded_tensors(reader)
        named = find_named(program, typed, recorded)
        if not named.tensors:
            named = find_named(program, typed, AllTensors())
        if not named.groups:
            raise UsageError(_unknown(program, typed, nearest(program, typed, recorded)) or str(error)) from None
    sites = _operations_named(named, typed)
    in_graphs = [number for number in sites if program.sites[number].function != NONE]
    if not in_graphs:
        message = f"{typed!r} is an eager operation, which has no graph; `tdbg show` and `tdbg ls` tell of it"
        raise UsageError(message)
    site = _in_body(program, program.sites[_most_often(reader, program, in_graphs)])
    return ChosenPart(str(site.function), site.name)


def _in_body(program: Program, site: Site) -> Site:
    """For the state of a loop, which is recorded in the condition, that of the body: there it is used."""
    holder = program.holders.get(site.function)
    if holder is None or holder.call is not CallKind.WHILE or site.argument < 0:
        return site
    body = program.called_by(holder)[BODY:][:1]
    arguments = body[0].arguments if body and body[0] is not None else ()
    number = arguments[site.argument] if site.argument < len(arguments) else NONE
    return program.sites.get(number, site)


def _unknown(program: Program, typed: str, near: list[str]) -> str:
    """The message with the nearest names, of functions too; empty where there are none."""
    functions = sorted({each.name for each in program.functions.values()})
    names = list(dict.fromkeys([*get_close_matches(typed, functions, n=2), *near]))[:3]
    return f"no function and no tensor {typed!r}; did you mean {' or '.join(map(repr, names))}?" if names else ""


def _operations_named(named: Named, typed: str) -> Sequence[int]:
    """The sites of the one thing that a name means.

    Raises:
        UsageError: If it may be several.
    """
    if not named.name:
        raise UsageError(named.choices(split_slot(typed)[0]))
    return list(dict.fromkeys(ref.site for ref in named.tensors))


def _most_often(reader: TraceReader, program: Program, sites: Sequence[int]) -> int:
    """That whose function computed most."""
    ran = tensors_of_graphs(reader, program)
    return max(sites, key=lambda number: ran.get(program.sites[number].function, 0))
