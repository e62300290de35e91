"""Rows of a listing with the names that assignments give: what a call returned bears its name in that call alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tensordbg.analysis.names.listing import ListedTensor, recorded_tensors
from tensordbg.analysis.program.assigned import assigned_names
from tensordbg.analysis.program.call_paths import InCall
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.query import sql
from tensordbg.model import NONE, TensorRef
from tensordbg.trace.reader import TraceReader


@dataclass(frozen=True)
class _Places:
    """Where rows were computed."""

    executions: Mapping[int, tuple[int, int]]
    """By number the site and the graph of each."""
    paths: Mapping[str, int]

    def has(self, row: ListedTensor, call: InCall) -> bool:
        """Whether a row belongs to a call."""
        site, graph = self.executions.get(row.execution, (NONE, NONE))
        if call.path != self.paths.get(row.path, NONE) or call.site not in (NONE, site):
            return False
        return call.graph in (NONE, graph) or (row.execution < 0 and call.site == NONE)


def with_assigned(reader: TraceReader, rows: Sequence[ListedTensor]) -> list[ListedTensor]:
    """Adds the names that statements of the program assign."""
    if not rows:
        return []
    program = read_program(reader)
    given = assigned_names(program, {row.site for row in rows}, recorded_tensors(reader))
    places = _places(reader, program, rows) if any(any(names.values()) for names in given.values()) else None
    named = []
    for row in rows:
        names = dict.fromkeys(row.python_names)
        for name, calls in given.get(TensorRef(row.site, row.slot), {}).items():
            if not calls or (places is not None and any(places.has(row, call) for call in calls)):
                names[name] = None
        named.append(replace(row, python_names=tuple(names)))
    return named


def _places(reader: TraceReader, program: Program, rows: Sequence[ListedTensor]) -> _Places:
    numbers = ", ".join(f"{number:d}" for number in {row.execution for row in rows})
    found = sql(reader, f"SELECT execution, site, function FROM executions WHERE execution IN ({numbers})")
    graphs = {number: each.graph for number, each in program.functions.items()}
    executions = {
        row["execution"]: (NONE if row["site"] is None else row["site"], graphs.get(row["function"], NONE))
        for row in found.to_pylist()
    }
    return _Places(executions, {path: number for number, path in program.paths.items()})
