"""Where the results of called functions are found: in the events of those calls alone, which the call path tells.

Nothing is recorded under the name of a call. Its result is a tensor of the called function's graph, and that is
`self.n` of `self.n = step(self.n)` only where that line called it, and something else in every other call.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.places import Place, Places
from tensordbg.model import NONE, CallKind, Site, TensorRef

_DEEPEST = 32
"""So many calls may hand on a result before it is computed."""


class InCall(NamedTuple):
    """Calls in which a tensor is meant."""

    site: int
    """Of the call in eager code; `NONE` for any."""
    graph: int
    """What Python called, as the graph of the function; `NONE` for any."""
    path: int
    """The call path below that; 0 for none."""


class Result(NamedTuple):
    """A recorded tensor that a call gives back."""

    ref: TensorRef
    calls: tuple[int, ...]
    """The sites of the calls in graphs through which it comes, outermost first."""


def results_within(program: Program, ref: TensorRef, recorded: Container[TensorRef]) -> Iterator[Result]:
    """The recorded tensors that a tensor of a graph is, as calls give them back and operations hand them on."""
    yield from _results(program, ref, recorded, ())


def _results(
    program: Program, ref: TensorRef, recorded: Container[TensorRef], calls: tuple[int, ...]
) -> Iterator[Result]:
    for each in program.handed_on(ref):
        if each in recorded:
            yield Result(each, calls)
            return
        site = program.sites[each.site]
        if site.call is CallKind.CALL and len(calls) < _DEEPEST:
            for function in program.called_by(site):
                outputs = function.outputs if function is not None else ()
                if each.slot < len(outputs):
                    yield from _results(program, outputs[each.slot], recorded, (*calls, site.site))
            return


@dataclass(frozen=True)
class CallPaths:
    """The call paths of a program, by the calls that they lead through."""

    program: Program

    def of_calls(self, calls: Sequence[int]) -> Iterator[InCall]:
        """Where the last of some calls runs, each of which stands in what the one before called."""
        for graph, path, place in self._by_last.get(calls[-1], ()):
            if self._leads_through(place, calls):
                yield InCall(NONE, graph, path)

    def below(self, site: int, graph: int, calls: Sequence[int]) -> Iterator[InCall]:
        """Where the last of some calls runs below the graph of a function that eager code calls at a site."""
        if not calls:
            yield InCall(site, NONE, 0)
            return
        for root, path, place in self._by_last.get(calls[-1], ()):
            if root == graph and place.depth == len(calls) and self._leads_through(place, calls):
                yield InCall(site, NONE, path)

    def are_only(self, calls: Sequence[int]) -> bool:
        """Whether nothing else calls what these calls do, so that all events of that are theirs.

        The runtime of pipelines does not inline calls, and tells no path.
        """
        for call in calls:
            for function in self.program.called_by(self.program.sites[call]):
                if function is None or function.name in self._called_by_eager_code:
                    return False
                if [site.site for site in self.program.calls_of.get(function.graph, ())] != [call]:
                    return False
        return True

    @cached_property
    def _called_by_eager_code(self) -> frozenset[str]:
        sites = self.program.sites.values()
        return frozenset(site.name for site in sites if site.function == NONE and site.call is CallKind.CALL)

    def _leads_through(self, place: Place, calls: Sequence[int]) -> bool:
        for call in reversed(calls):
            if place.call_site != call:
                return False
            place = self._places.all[place.parent]
        return True

    @cached_property
    def _places(self) -> Places:
        return Places(self.program)

    @cached_property
    def _by_last(self) -> Mapping[int, Sequence[tuple[int, int, Place]]]:
        """By the site of the innermost call the outermost graph, the path's number and the place."""
        found: dict[int, list[tuple[int, int, Place]]] = {}
        for number, path in self.program.paths.items():
            for graph in self._graphs_leading(path):
                place = self._places.follow(graph, path)
                if place is not None:
                    found.setdefault(place.call_site, []).append((graph, number, place))
        return found

    def _graphs_leading(self, path: str) -> list[int]:
        """The graphs in which a path may begin."""
        ends = [place for place, sign in enumerate(path) if sign == "/"]
        names = [path[:end] for end in ends] + [path]
        return list(dict.fromkeys(graph for name in names for graph in self._graphs_by_call.get(name, ())))

    @cached_property
    def _graphs_by_call(self) -> Mapping[str, Sequence[int]]:
        """By the name of a call the graphs that have one, but for branches and parts of loops."""
        found: dict[str, list[int]] = {}
        for graph, sites in self.program.sites_of_graph.items():
            for site in sites if graph != NONE and graph not in self.program.holders else ():
                if site.called:
                    found.setdefault(site.name, []).append(graph)
        return found


def is_graph_call(site: Site) -> bool:
    """Whether a function is called there in a graph."""
    return site.function != NONE and site.call is CallKind.CALL
