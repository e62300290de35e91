"""The lines that are put into compiled code, and what is recorded of a call of it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from tensordbg.backends.torch.compiled.describing import Describer, Graph
from tensordbg.backends.torch.compiled.internals import PROBE, Stored
from tensordbg.backends.torch.compiled.probed_graphs import ProbedGraphs
from tensordbg.model import NONE
from tensordbg.recording.recorder import Recorder


class Probes:
    """Makes the lines, and stands around the calls of what was compiled with them."""

    def __init__(self, describer: Describer) -> None:
        self._describer = describer
        self._graphs = ProbedGraphs(describer)
        self._recorder: Recorder | None = None
        self._observer: ModuleType | None = None

    def use(self, recorder: Recorder | None, observer: ModuleType | None) -> None:
        """Records from now on with these; with None nothing is."""
        self._recorder, self._observer = recorder, observer

    def graph_of(self, site: int) -> Graph | None:
        """The graph with the site of a probe."""
        return self._graphs.of_site(site)

    def lines(self, lowering: Any, stored: list[Stored]) -> list[str]:
        """The lines to be written where a kernel has stored something."""
        recorder = self._recorder
        if recorder is None or not recorder.active:
            return []
        return self._graphs.lines(lowering, stored)

    def loaded(self, lowering: Any, module: ModuleType) -> None:
        """Has the code that was made of a graph find its probe, and its calls be recorded."""
        graph, recorder, observer = self._graphs.of_lowering(lowering), self._recorder, self._observer
        if graph is None:
            return
        if recorder is None or observer is None or not recorder.active:
            return  # its lines do nothing
        plain = module.__dict__["call"]
        module.__dict__["call"] = self._watched(plain, graph, self._describer.add(graph))
        module.__dict__[PROBE] = observer.probe

    def _watched(self, plain: Callable[[Any], Any], graph: Graph, function: int) -> Callable[[Any], Any]:
        def call(inputs: Any) -> Any:
            recorder, observer = self._recorder, self._observer
            if recorder is None or observer is None:
                return plain(inputs)
            own, results = _Call(recorder, observer, graph), None
            own.enter(inputs, function)
            try:
                results = plain(inputs)
                return results
            finally:
                own.leave(results)

        return call


class _Call:
    """One call of a compiled graph."""

    def __init__(self, recorder: Recorder, observer: ModuleType, graph: Graph) -> None:
        self._recorder = recorder
        self._observer = observer
        self._graph = graph
        self._written: list[Any] = []
        self._execution = NONE

    def enter(self, inputs: Any, function: int) -> None:
        """Begins it; the inputs may be gone when it ends."""
        recorder, observer = self._recorder, self._observer
        with recorder.guard("recording a call of a compiled graph"):
            entered = observer.enter_compiled(inputs)
            if entered is None:
                return
            site, step, references = entered
            recorder.catalog.use_function(function)
            self._execution = recorder.log.begin_execution(site, function, step, references)
            observer.run_compiled(self._execution)
            self._written = [inputs[place] for place in self._graph.written]

    def leave(self, results: Any) -> None:
        """Ends it; the results are None where it failed."""
        with self._recorder.guard("recording the results of a compiled graph"):
            given = None if results is None else [*results, *self._written]
            self._observer.leave_compiled(given, self._graph.results, len(self._written))
            if self._execution != NONE and self._recorder.active:
                self._recorder.log.end_execution(self._execution, results is None)
