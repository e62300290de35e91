"""The graphs that a trace holds whole, and how the names in them belong to the sites of the trace.

A function's definition, and so the graph that runs, bears the names of the Python graph, but for an operation whose
name is also that of one of the function's results: it gets a number (`while`, `while_4`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tensordbg.analysis.program.description import Program
from tensordbg.errors import TraceError, UsageError
from tensordbg.model import Function
from tensordbg.trace.graphs.graph_files import FOLDER, GraphStage, read_graph
from tensordbg.trace.graphs.graphdef import GraphDefMessage, decode_graph
from tensordbg.trace.reader import TraceReader

_NUMBER = re.compile(r"_\d+$")


class KeptGraphs:
    """The graphs of one trace; each is read when it is asked for."""

    def __init__(self, reader: TraceReader, program: Program) -> None:
        self._reader = reader
        self._program = program
        self._names: dict[int, Mapping[int, str]] = {}

    def find(self, function: Function, stage: GraphStage) -> GraphDefMessage | None:
        """A graph of a function, None where the trace does not hold it.

        Raises:
            TraceError: If its file is damaged.
        """
        message = read_graph(self._reader.path, function.function, stage)
        if message is None:
            return None
        try:
            return decode_graph(message)
        except ValueError as error:
            path = self._reader.path / FOLDER
            raise TraceError(
                f"{path}: the {stage.value} graph of function {function.function} can't be read ({error}); restore the "
                "file from a copy, or record again"
            ) from error

    def get(self, function: Function, stage: GraphStage) -> GraphDefMessage:
        """A graph of a function.

        Raises:
            UsageError: If the trace does not hold it.
        """
        found = self.find(function, stage)
        if found is None:
            raise UsageError(self._missing(function, stage))
        return found

    def runtime_names(self, function: Function) -> Mapping[int, str]:
        """The sites that a function has of its graph, each with its name in the runtime; empty where not known."""
        if function.function not in self._names:
            built = self.find(function, GraphStage.BUILT)
            self._names[function.function] = {} if built is None else self._matched(function, built)
        return self._names[function.function]

    def sites_of(self, function: Function) -> Mapping[int, str]:
        """The sites that a function has of its graph, each with its own name; empty where not known."""
        return {site: self._program.sites[site].name for site in self.runtime_names(function)}

    def _matched(self, function: Function, built: GraphDefMessage) -> dict[int, str]:
        sites = self._program.sites_of_graph.get(function.graph, ())
        names = {site: self._program.sites[site].name for site in function.arguments if site in self._program.sites}
        waiting = {site.name: site for site in sites if site.site not in names}
        renamed = []
        for node in built.nodes[len(built.nodes) - self._operations(function, built) :]:
            site = waiting.get(node.name)
            if site is not None and site.op_type == node.op_type:
                names[site.site] = node.name
                del waiting[node.name]
            else:
                renamed.append(node)
        for node in renamed:
            site = waiting.pop(_NUMBER.sub("", node.name), None)
            if site is not None:
                names[site.site] = node.name
        return names

    def _operations(self, function: Function, built: GraphDefMessage) -> int:
        """How many nodes of a built graph are no arguments, which come first."""
        return len(built.nodes) - len(function.arguments)

    def _missing(self, function: Function, stage: GraphStage) -> str:
        if not (self._reader.path / FOLDER).exists():
            return (
                f"no graph of {function.name!r} as it ran is in {self._reader.path}; record with --graphs to have "
                "those of functions that Python calls"
            )
        callers = {
            self._program.functions[site.function].name
            for site in self._program.sites.values()
            if function.runtime_name in site.called and site.function in self._program.functions
        }
        if callers:
            where = " and ".join(sorted(callers)[:3])
            return f"{function.name!r} runs as a part of {where}; ask for the graph of that"
        return (
            f"no {stage.value} graph of {function.name!r} is in the trace; only functions that Python calls have "
            "one, and `tdbg why` names those that could not be had"
        )
