"""Why nothing was recorded of an operation that is in a graph: it did not run, or makes nothing that has statistics."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from tensordbg.analysis.graphs.as_run import run_graph
from tensordbg.analysis.program.control_edges import runs_anyway, waits_for
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.program.operations import operation_of
from tensordbg.errors import TraceError, UsageError
from tensordbg.model import CallKind, Function, Site, TensorRef
from tensordbg.operations.kinds import Kind
from tensordbg.trace.reader import TraceReader

_HANDED_ON = frozenset({Kind.IDENTITY, Kind.IDENTITY_OF_SEVERAL})
_WITHOUT_STATISTICS = frozenset({"resource", "variant", "unknown"})
_PARTS = {CallKind.IF: "a branch", CallKind.WHILE: "a loop"}


def why_not_recorded(reader: TraceReader, program: Program, name: str, recorded: Collection[TensorRef]) -> str:
    """In half a sentence why no event tells of an operation with this name; empty where there is no such operation."""
    ran = {program.sites[ref.site].function for ref in recorded if ref.site in program.sites}
    named = [site for site in program.sites.values() if site.name == name]
    if not named:
        return ""
    # Of several traces of a function that which ran is meant.
    site = next((each for each in named if _holders(program, each, ran)[1]), named[0])
    return _of_kind(program, site) or _of_place(program, site, ran) or _of_graph(reader, program, site)


def _holders(program: Program, site: Site, ran: Collection[int]) -> tuple[Site | None, bool]:
    """The branch or loop around an operation that never ran, the outermost, and whether its function ran at all."""
    around: Site | None = None
    while site.function not in ran:
        around = program.holders.get(site.function)
        if around is None:
            return None, False
        site = around
    return around, True


def _of_kind(program: Program, site: Site) -> str:
    """What is never recorded of any operation."""
    given = [ref for ref in program.inputs_of(site.site) if ref.site in program.sites]
    if site.call is not CallKind.NONE and site.called:
        return f"it calls {', '.join(site.called)}, whose results are recorded there"
    if operation_of(site).kind in _HANDED_ON and given:
        return f"it only hands on {program.sites[given[0].site].name}:{given[0].slot}, see that"
    if operation_of(site).kind is Kind.CONSTANT:
        value = json.loads(site.attributes).get("value")
        return f"it is a constant{'' if value is None else f', {json.dumps(value)}'}"
    if not site.dtypes:
        return "it computes nothing"
    if _WITHOUT_STATISTICS.issuperset(site.dtypes):
        return f"it makes what has no statistics, of type {' and '.join(dict.fromkeys(site.dtypes))}"
    return ""


def _of_place(program: Program, site: Site, ran: Collection[int]) -> str:
    """That the function, the branch or the loop in which it stands did not run."""
    if site.function in ran or site.function not in program.functions:
        return ""
    function = program.python_names.get(site.function, program.functions[site.function].name)
    holder, _ = _holders(program, site, ran)
    if holder is not None:
        return f"it is in {_PARTS[holder.call]} of {function}{_line(program, holder)} that never ran"
    return f"{function} was traced, and no operation of it ran"


def _line(program: Program, site: Site) -> str:
    locations = Locations(program)
    own = locations.own(locations.stack(site.stack))
    return f", {own.file}:{own.line}," if own else ""


def _of_graph(reader: TraceReader, program: Program, site: Site) -> str:
    """That TensorFlow left it out."""
    for function in _functions_of(program, site):
        try:
            changes = run_graph(reader, str(function.function)).changes
        except (UsageError, TraceError):
            continue
        for change in changes:
            if site.name in change.operations:
                into = f" into {change.into}" if change.into else ""
                return f"it is in the graph and did not run: {change.fate.value}{into}, {change.reason}"
    if not _is_needed(program, site):
        return "it is in the graph and did not run: nothing that is returned, fetched or changed needs it"
    return (
        "it is in the graph and did not run; record with --graphs, and `tdbg graph --stage run` tells what became of it"
    )


def _functions_of(program: Program, site: Site) -> Iterable[Function]:
    return [function for function in program.functions.values() if function.graph == site.function]


def _is_needed(program: Program, site: Site) -> bool:
    """Whether a result of its function is made of what it makes, or something that runs anyway."""
    waiting = [ref.site for function in _functions_of(program, site) for ref in function.outputs]
    waiting += [each.site for each in program.sites_of_graph.get(site.function, ()) if runs_anyway(each)]
    seen: set[int] = set()
    while waiting:
        number = waiting.pop()
        if number == site.site:
            return True
        if number not in seen and number in program.sites:
            seen.add(number)
            waiting += [ref.site for ref in program.inputs_of(number)]
            waiting += waits_for(program, program.sites[number])
    return False
