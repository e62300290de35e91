"""The results of functions that eager code calls, which are tensors of the functions' graphs in those calls alone."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tensordbg.analysis.program.description import Program
from tensordbg.model import NONE, CallKind, Site, TensorRef

Calls = frozenset[int]
"""The sites of calls in which alone a tensor is meant; empty where it is meant in whatever call."""

TensorsInCalls = Mapping[TensorRef, Calls]
"""What a name stands for."""

ANY_CALL: Calls = frozenset()


@dataclass(frozen=True)
class EagerCalls:
    """The calls of functions that a line makes: the first call of each may have another stack than the later ones."""

    first: tuple[int, ...]
    """A site for each call, in the order in which they are made."""
    sites: Mapping[int, Calls]
    """All sites of the same call, by the first."""
    is_sure: bool
    """Whether it is known which sites are the same call."""


def is_eager_call(site: Site) -> bool:
    """Whether eager code calls a function there."""
    return site.function == NONE and site.call is CallKind.CALL


def eager_calls(sites: Sequence[Site]) -> EagerCalls:
    """The calls among the eager sites of one line."""
    by_name: dict[str, dict[int, list[int]]] = {}
    for site in sites:
        if is_eager_call(site):
            by_name.setdefault(site.name, {}).setdefault(site.stack, []).append(site.site)
    groups: dict[int, Calls] = {}
    is_sure = True
    for by_stack in by_name.values():
        calls = list(by_stack.values())
        if len(calls) > 1 and all(len(each) == 1 for each in calls):
            groups[calls[0][0]] = frozenset(site for each in calls for site in each)
            continue
        is_sure = is_sure and len(calls) == 1
        groups.update({site: frozenset({site}) for each in calls for site in each})
    return EagerCalls(tuple(sorted(groups)), groups, is_sure)


def results_of(
    program: Program, call: int, slot: int, results: int, recorded: Container[TensorRef]
) -> Iterator[TensorRef]:
    """The recorded tensors that are one result of a call, one for each trace of the function with so many results."""
    name = program.sites[call].name
    found = {}
    for function in program.functions.values():
        if function.name == name and len(function.outputs) == results:
            handed_on = program.handed_on(function.outputs[slot])
            found[next((ref for ref in handed_on if ref in recorded), None)] = True
    yield from (ref for ref in found if ref is not None)


def put_together(parts: Iterator[tuple[TensorRef, Calls]]) -> TensorsInCalls:
    """All tensors of several answers: one that is meant in whatever call anywhere is so in all."""
    named: dict[TensorRef, Calls] = {}
    for ref, calls in parts:
        known = named.get(ref, calls)
        named[ref] = known | calls if known and calls else ANY_CALL
    return named
