"""The results of functions that eager code calls, which are tensors of the functions' graphs in those calls alone."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tensordbg.analysis.program.call_paths import CallPaths, InCall, is_graph_call, results_within
from tensordbg.analysis.program.description import Program
from tensordbg.model import NONE, CallKind, Site, TensorRef

Calls = frozenset[InCall]
"""The calls in which alone a tensor is meant; empty where it is meant in whatever call."""

TensorsInCalls = Mapping[TensorRef, Calls]
"""What a name stands for."""

ANY_CALL: Calls = frozenset()


ANY_NUMBER = -1
"""Of results, as there are for `first, *rest`."""


class Unpacked(NamedTuple):
    """One of the results of a call."""

    slot: int
    of: int
    """How many there are, or `ANY_NUMBER`."""

    def is_of(self, results: int) -> bool:
        """Whether a function that gives so many back has it."""
        return self.slot < results and self.of in (results, ANY_NUMBER)


@dataclass(frozen=True)
class EagerCalls:
    """The calls of functions that a line makes: the first call of each may have another stack than the later ones."""

    first: tuple[int, ...]
    """A site for each call, in the order in which they are made."""
    sites: Mapping[int, frozenset[int]]
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
    groups: dict[int, frozenset[int]] = {}
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
    program: Program, paths: CallPaths, calls: frozenset[int], result: Unpacked, recorded: Container[TensorRef]
) -> Iterator[tuple[TensorRef, Calls]]:
    """The recorded tensors that are one result of a call in eager code, one for each trace of the function.

    Args:
        program: All that the trace describes.
        paths: Its call paths.
        calls: The sites of the call.
        result: Which result of how many.
        recorded: The tensors that count.
    """
    name = program.sites[min(calls)].name
    for function in program.functions.values():
        if function.name == name and result.is_of(len(function.outputs)):
            for each in results_within(program, function.outputs[result.slot], recorded):
                within = frozenset(
                    place for site in calls for place in paths.below(site, function.graph, each.calls)
                )  # fmt: skip
                if within:
                    yield each.ref, within


def results_in_graph(
    program: Program, paths: CallPaths, ref: TensorRef, recorded: Container[TensorRef]
) -> Iterator[tuple[TensorRef, Calls]]:
    """The recorded tensors that a tensor of a graph is: of a call the result in what is called, in those calls."""
    for each in results_within(program, ref, recorded):
        if paths.are_only(each.calls):  # also where there are none
            yield each.ref, ANY_CALL
            continue
        within = frozenset(paths.of_calls(each.calls))
        if within:
            yield each.ref, within


class WithResults(Container[TensorRef]):
    """Recorded tensors, and the results of calls in graphs that are such in what is called."""

    def __init__(self, program: Program, recorded: Container[TensorRef]) -> None:
        self._program = program
        self._recorded = recorded

    def __contains__(self, ref: object) -> bool:
        if ref in self._recorded:
            return True
        site = self._program.sites.get(ref.site) if isinstance(ref, TensorRef) else None
        if site is None or not is_graph_call(site) or not isinstance(ref, TensorRef):
            return False
        return any(True for _ in results_within(self._program, ref, self._recorded))


def put_together(parts: Iterator[tuple[TensorRef, Calls]]) -> TensorsInCalls:
    """All tensors of several answers: one that is meant in whatever call anywhere is so in all."""
    named: dict[TensorRef, Calls] = {}
    for ref, calls in parts:
        named[ref] = joined_calls(named.get(ref, calls), calls)
    return named


def joined_calls(one: Calls, other: Calls) -> Calls:
    """The calls in which a tensor is meant that is so in one and in the other."""
    return one | other if one and other else ANY_CALL
