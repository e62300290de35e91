"""Decides, once for each site, whether its tensors are kept whole, and tells the native log.

It stands between the catalog and the writer of the trace, where every site, function and stack that the trace uses
comes by before an event refers to it. A range of steps is kept by switching the sites of a function on and off as calls
of it begin; calls of one function that run at the same time share the switch.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from tensordbg.model import NONE, Frame, Function, Site, SourceFile, Variable
from tensordbg.recording.catalog import CatalogSink
from tensordbg.recording.value_filter import Place, ValueFilter

Choose = Callable[[list[int], bool], None]
"""(sites, whether their values are kept from now on)."""


class ValueChoice:
    """Passes rows on to `sink`, and chooses among the sites."""

    def __init__(self, sink: CatalogSink, wanted: ValueFilter, choose: Choose) -> None:
        self._sink = sink
        self._wanted = wanted
        self._choose = choose
        self._lock = threading.Lock()
        self._places: dict[int, Frame] = {}
        self._graph_names: dict[int, str] = {}
        self._waiting: dict[int, list[Site]] = {}
        self._chosen: dict[int, list[int]] = {}
        """Sites of each graph."""
        self._chosen_eager: set[int] = set()
        self._called: dict[int, set[str]] = {}
        """Runtime names of the functions that each graph calls."""
        self._graphs: dict[str, int] = {}
        self._graph_of: dict[int, int] = {}
        self._open_functions: set[int] = set()
        self._open_sites: set[int] = set()

    def sites(self, sites: Iterable[Site]) -> None:
        """Decides about sites; those of a graph whose function is not known yet wait for it."""
        known = list(sites)
        self._sink.sites(known)
        with self._lock:
            for site in known:
                self._called.setdefault(site.function, set()).update(site.called)
                if site.function == NONE or site.function in self._graph_names:
                    self._decide([site])
                else:
                    self._waiting.setdefault(site.function, []).append(site)

    def function(self, function: Function) -> None:
        """Learns the name that the sites of a graph have waited for."""
        self._sink.function(function)
        with self._lock:
            self._graphs[function.runtime_name] = function.graph
            self._graph_of[function.function] = function.graph
            self._graph_names.setdefault(function.graph, function.name)
            self._decide(self._waiting.pop(function.graph, []))

    def stack(self, number: int, frames: tuple[Frame, ...]) -> None:
        """Learns which line of a stack counts: the innermost of the user's own."""
        self._sink.stack(number, frames)
        if frames:
            self._places[number] = next((frame for frame in reversed(frames) if frame.user), frames[-1])

    def source(self, source: SourceFile) -> None:
        """See `CatalogSink`."""
        self._sink.source(source)

    def variable(self, variable: Variable) -> None:
        """See `CatalogSink`."""
        self._sink.variable(variable)

    def begin_function(self, function: int, step: int) -> None:
        """A call of a function begins; called before anything in it runs."""
        if not self._wanted.by_step or (function in self._open_functions) is self._wanted.has_step(step):
            return
        with self._lock:
            kept = self._wanted.has_step(step)
            (self._open_functions.add if kept else self._open_functions.discard)(function)
            self._choose(self._sites_under(self._graph_of.get(function, function)), kept)

    def begin_site(self, site: int, step: int) -> None:
        """An eager operation begins; called before its tensors are recorded."""
        if not self._wanted.by_step or (site in self._open_sites) is self._wanted.has_step(step):
            return
        with self._lock:
            kept = self._wanted.has_step(step)
            (self._open_sites.add if kept else self._open_sites.discard)(site)
            if site in self._chosen_eager:
                self._choose([site], kept)

    def _decide(self, sites: list[Site]) -> None:
        chosen = [site for site in sites if self._wanted.has(self._place(site))]
        for site in chosen:
            if site.function == NONE:
                self._chosen_eager.add(site.site)
            else:
                self._chosen.setdefault(site.function, []).append(site.site)
        if chosen and not self._wanted.by_step:
            self._choose([site.site for site in chosen], True)

    def _place(self, site: Site) -> Place:
        frame = self._places.get(site.stack)
        around = frame.function if frame else ""
        return Place(
            name=site.name,
            op_type=site.op_type,
            function=self._graph_names.get(site.function, around),
            file=frame.file if frame else "",
        )

    def _sites_under(self, graph: int) -> list[int]:
        """The chosen sites of a graph and of all that it calls."""
        seen: set[int] = set()
        waiting = [graph]
        while waiting:
            current = waiting.pop()
            if current not in seen:
                seen.add(current)
                names = self._called.get(current, ())
                waiting.extend(self._graphs[name] for name in names if name in self._graphs)
        return [site for current in seen for site in self._chosen.get(current, ())]
