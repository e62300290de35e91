"""The results of loops and branches that were recorded as such, for statements that give names to them."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Container, Iterable, Sequence

from tensordbg.analysis.program.assignments import Statement
from tensordbg.analysis.program.description import Program
from tensordbg.model import CallKind, Site, TensorRef


def handed_out(program: Program, site: Site, recorded: Container[TensorRef]) -> list[TensorRef]:
    """The recorded results of a loop, or of a branch, which stand behind it; in their order, none of other sites."""
    if site.call is CallKind.WHILE:
        results = [TensorRef(site.site, slot) for slot in range(len(site.dtypes))]
    elif site.call is CallKind.IF:
        behind = {
            given: TensorRef(each.site, 0)
            for each in program.sites_of_graph.get(site.function, ())
            for given in program.inputs_of(each.site)[:1]
            if given.site == site.site and len(each.dtypes) == 1
        }
        results = [behind[given] for given in sorted(behind, key=lambda ref: ref.slot)]
    else:
        return []
    return [ref for ref in results if ref in recorded]


def one_of(results: Sequence[TensorRef], statement: Statement) -> list[TensorRef]:
    """Chooses what a statement takes of the results of one loop: the only one, or that of the place it writes down."""
    place: object = 0 if len(results) == 1 else None
    if isinstance(statement.value, ast.Subscript):
        with contextlib.suppress(ValueError):
            place = ast.literal_eval(statement.value.slice)
    if statement.targets != 1 or not isinstance(place, int) or not -len(results) <= place < len(results):
        return []
    return [results[place]]


def within_branches(program: Program, refs: Iterable[TensorRef], recorded: Container[TensorRef]) -> set[TensorRef]:
    """The recorded tensors of branches that are among some tensors as the results of these branches, in a second form.

    Args:
        program: All that the trace describes.
        refs: Tensors; those count that hand on the result of a branch.
        recorded: The tensors that count.
    """
    found: set[TensorRef] = set()
    waiting = [given for ref in refs for given in list(program.handed_on(ref))[1:]]
    seen: set[TensorRef] = set()
    while waiting:
        ref = waiting.pop()
        site = program.sites[ref.site]
        if ref in seen or site.call is not CallKind.IF:
            continue
        seen.add(ref)
        outputs = [each.outputs[ref.slot] for each in program.called_by(site) if each and ref.slot < len(each.outputs)]
        inside = [given for output in outputs for given in program.handed_on(output)]
        found.update(given for given in inside if given in recorded)
        waiting.extend(inside)
    return found
