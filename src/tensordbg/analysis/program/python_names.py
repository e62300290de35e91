"""The tensors that a name in the program's text stands for: `n` of a loop, `ids` of a function, `loss = ...` of a line.

What TensorFlow told while the functions were traced comes first; for other names the text itself is read.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

from tensordbg.analysis.program.assigned import assigned_tensors
from tensordbg.analysis.program.call_results import ANY_CALL, TensorsInCalls, is_eager_call
from tensordbg.analysis.program.composite_notes import all_wholes
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.handed_out import within_branches
from tensordbg.model import NONE, PYTHON_NAMES, Site, TensorRef


def tensors_named(program: Program, name: str, recorded: Container[TensorRef]) -> TensorsInCalls:
    """The tensors of which events tell that bear a name in the program's text, each with the calls in which it does.

    None, if there is an operation of that name which does not bear it in the text: that is meant then.
    Where the state of a loop was recorded iteration by iteration, that stands for all tensors of this name in its
    function.
    """
    # A function that eager code calls is no operation that a name of the text could be mistaken for.
    operations = [site for site in program.sites.values() if site.name == name and not is_eager_call(site)]
    # The indices of a sparse tensor `s` are an operation `s`; its elements bear the name.
    whole = all_wholes(program.sites.values()) if operations else {}
    bearers = [each.site for site in operations for each in whole.get(TensorRef(site.site, 0), ())]
    named = [*operations, *(program.sites[site] for site in bearers)]
    if operations and not any(name in names for site in named for names in noted_names(site)):
        return {}
    told = [each for ref in _named_so(program.sites.values(), name) for each in _recorded(program, ref, recorded)]
    twice = within_branches(program, told, recorded)
    told = [ref for ref in told if ref not in twice]
    states = [ref for ref in told if ref.site in program.loop_arguments]
    # The state of a loop may be what that of another one in it begins with.
    states = [ref for ref in states if noted_names(program.sites[ref.site])[ref.slot][0] == name] or states
    functions = {_python_function(program, ref) for ref in states}
    written = {ref: calls for ref, calls in assigned_tensors(program, name, recorded).items() if ref not in twice}
    others = [ref for ref in (*told, *written) if _python_function(program, ref) not in functions - {""}]
    return {ref: written[ref] if ref in written and ref not in told else ANY_CALL for ref in (*states, *others)}


def noted_names(site: Site) -> list[list[str]]:
    """The names of each output of a site in the program's text, empty where none is known."""
    return names_in(site.attributes)


def names_in(attributes: str) -> list[list[str]]:
    """The names that the program's text has for each output of a site, read from the site's attributes."""
    return noted_in(json.loads(attributes)) if PYTHON_NAMES in attributes else []


def noted_in(attributes: Mapping[str, Any]) -> list[list[str]]:
    """The names that the program's text has for each output of a site with some attributes."""
    names = attributes.get(PYTHON_NAMES)
    if not isinstance(names, list):
        return []
    return [[each for each in of_one if isinstance(each, str)] if isinstance(of_one, list) else [] for of_one in names]


def names_of_text(program: Program, recorded: Container[TensorRef]) -> list[str]:
    """All names that TensorFlow told of tensors of which events tell, each once."""
    told = (
        name for site in program.sites.values() for slot, names in enumerate(noted_names(site)) for name in names
        if TensorRef(site.site, slot) in recorded
    )  # fmt: skip
    return list(dict.fromkeys(told))


def _named_so(sites: Iterable[Site], name: str) -> Iterator[TensorRef]:
    for site in sites:
        for slot, names in enumerate(noted_names(site)):
            if name in names:
                yield TensorRef(site.site, slot)


def _recorded(program: Program, ref: TensorRef, recorded: Container[TensorRef]) -> Iterator[TensorRef]:
    """A tensor that events tell of; for an argument of which none do, what other functions give for it."""
    if ref in recorded:
        yield ref
        return
    site = program.sites[ref.site]
    for call in program.calls_of.get(site.function, ()) if site.argument != NONE else ():
        given = program.inputs_of(call.site)[site.argument : site.argument + 1]
        yield from (each for each in given if each in recorded)


def _python_function(program: Program, ref: TensorRef) -> str:
    return program.python_names.get(program.sites[ref.site].function, "")
