"""Decides, once for each site, whether its tensors are kept whole, and tells the native log.

It stands between the catalog and the writer of the trace, where every site, function and stack that the trace uses
comes by before an event refers to it. A range of steps is kept by switching the sites of a function on and off as calls
of it begin; calls of one function that run at the same time share the switch.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from tensordbg.model import NONE, Frame, Function, Site
from tensordbg.recording.catalog import CatalogSink
from tensordbg.recording.passing_sink import PassingSink
from tensordbg.recording.value_filter import Place, ValueFilter

Choose = Callable[[list[int], bool], None]
"""(sites, whether their values are kept from now on)."""


class ValueChoice(PassingSink):
    """Passes rows on to `sink`, and chooses among the sites."""

    def __init__(self, sink: CatalogSink, wanted: ValueFilter, choose: Choose) -> None:
        super().__init__(sink)
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
        self._under: dict[int, list[int]] = {}
        """For each function the graphs that run with it; forgotten when there are new ones."""
        self._open_graphs: set[int] = set()
        self._open_sites: set[int] = set()
        self._of_framework: dict[str, set[int]] = {}
        """Chosen sites by their framework."""
        self._training: dict[str, bool] = {}
        """Frameworks whose steps are those of a training, and whether the present one is kept."""

    def sites(self, sites: Iterable[Site]) -> None:
        """Decides about sites; those of a graph whose function is not known yet wait for it."""
        known = list(sites)
        self._sink.sites(known)
        with self._lock:
            self._under.clear()
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
            self._under.clear()
            self._graphs[function.runtime_name] = function.graph
            self._graph_of[function.function] = function.graph
            self._graph_names.setdefault(function.graph, function.name)
            self._decide(self._waiting.pop(function.graph, []))

    def stack(self, number: int, frames: tuple[Frame, ...]) -> None:
        """Learns which line of a stack counts: the innermost of the user's own."""
        self._sink.stack(number, frames)
        if frames:
            self._places[number] = next((frame for frame in reversed(frames) if frame.user), frames[-1])

    def begin_function(self, function: int, step: int) -> None:
        """A call of a function begins; called before anything in it runs."""
        if not self._wanted.by_step:
            return
        kept = self._wanted.has_step(step)
        with self._lock:
            # A function that two others call is switched by whichever runs.
            graphs = [graph for graph in self._graphs_under(function) if (graph in self._open_graphs) is not kept]
            (self._open_graphs.update if kept else self._open_graphs.difference_update)(graphs)
            sites = [site for graph in graphs for site in self._chosen.get(graph, ())]
            if sites:
                self._choose(sites, kept)

    def begin_site(self, site: int, step: int) -> None:
        """An eager operation begins; called before its tensors are recorded."""
        if not self._wanted.by_step or (site in self._open_sites) is self._wanted.has_step(step):
            return
        with self._lock:
            kept = self._wanted.has_step(step)
            (self._open_sites.add if kept else self._open_sites.discard)(site)
            if site in self._chosen_eager:
                self._choose([site], kept)

    def begin_training_step(self, framework: str, step: int) -> None:
        """A step of a training begins, which counts for all sites of a framework; `NONE` for one that is left out."""
        if not self._wanted.by_step:
            return
        with self._lock:
            kept = step != NONE and self._wanted.has_step(step)
            if self._training.get(framework) is kept:
                return
            self._training[framework] = kept
            if sites := sorted(self._of_framework.get(framework, ())):
                self._choose(sites, kept)

    def _decide(self, sites: list[Site]) -> None:
        chosen = [site for site in sites if self._wanted.has(self._place(site))]
        for site in chosen:
            self._of_framework.setdefault(site.framework, set()).add(site.site)
            if site.function == NONE:
                self._chosen_eager.add(site.site)
            else:
                self._chosen.setdefault(site.function, []).append(site.site)
        now = [site.site for site in chosen if self._is_open(site)]
        if now:
            self._choose(now, True)

    def _is_open(self, site: Site) -> bool:
        """Whether what a site makes now is kept."""
        opened = site.function in self._open_graphs or self._training.get(site.framework, False)
        return opened or not self._wanted.by_step

    def _place(self, site: Site) -> Place:
        frame = self._places.get(site.stack)
        around = frame.function if frame else ""
        return Place(
            name=site.name,
            op_type=site.op_type,
            function=self._graph_names.get(site.function, around),
            file=frame.file if frame else "",
        )

    def _graphs_under(self, function: int) -> list[int]:
        """The graph of a function and those of all that it calls."""
        known = self._under.get(function)
        if known is None:
            found: dict[int, None] = {}
            waiting = [self._graph_of.get(function, function)]
            while waiting:
                graph = waiting.pop()
                if graph not in found:
                    found[graph] = None
                    waiting.extend(self._graphs[name] for name in self._called.get(graph, ()) if name in self._graphs)
            known = self._under[function] = list(found)
        return known
