"""Listings as tables of plain cells, for CSV: a column for each number, named as in the JSON with dots between.

Columns are the same whatever a trace holds, so that a script finds `health.nan` in an empty listing too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tensordbg.analysis.diff.result import Comparison
from tensordbg.analysis.graphs.as_run import ExecutedGraph
from tensordbg.analysis.graphs.function_graph import FunctionGraph
from tensordbg.analysis.graphs.functions import TracedFunction
from tensordbg.analysis.graphs.layers import Layer
from tensordbg.analysis.names.listing import Listing
from tensordbg.analysis.tensors.show import TensorHistory
from tensordbg.capture.reader import Capture
from tensordbg.trace.folders.pruning import StoredRun
from tensordbg.wire.captures import captures_to_json
from tensordbg.wire.diff import diff_to_json
from tensordbg.wire.functions import functions_to_json
from tensordbg.wire.graph import function_graph_to_json, run_graph_to_json
from tensordbg.wire.layers import layers_to_json
from tensordbg.wire.listing import listing_to_json
from tensordbg.wire.show import history_to_json
from tensordbg.wire.stored_runs import stored_runs_to_json

_HEALTH = tuple(
    f"health.{name}"
    for name in (
        *("size", "negative", "zero", "positive", "neg_inf", "pos_inf", "nan", "subnormal"),
        *("min", "max", "mean", "std"),
    )
)
_SOURCE = ("source.file", "source.line", "source.function")
_EVENT = (
    *("process", "event", "tensor", "op_name", "op_type", "variables", "python_names", "function", "execution", "step"),
    *("iteration", "path", "device", "dtype", "shape"),
    *_HEALTH,
    *_SOURCE,
)
_FUNCTION = (
    *("name", "definition.file", "definition.line", "runtime_name", "step", "calls", "signature"),
    *("source.file", "source.line"),
)
_LAYER = (
    *("path", "class", "place", "tensor", "op_type", "function", "device", "dtype", "shape", "events", "non_finite"),
    *("last_step", "last_event"),
    *_HEALTH,
)
_NODE = (
    *("name", "op_type", "depth", "part", "inputs", "waits_for", "runs_anyway", "dtypes", "shapes", "device"),
    *("argument", "calls", "events", "non_finite"),
    *_SOURCE,
)
_RUN_NODE = ("name", "op_type", "inputs", "device", "made_from", "added_for", *_SOURCE)
_PAIR = ("step", "a", "b", "line_a", "line_b", "error", "state", "event_a", "event_b")
_RUN = ("run", "traces", "bytes", "changed_s", "goes", "why_kept", "what")
_CAPTURE = ("path", "id", "created_ns", "program", "function", "step", "suspects")


@dataclass(frozen=True)
class CsvTable:
    """A table of cells; None stands for nothing."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def stored_runs_to_csv(runs: Sequence[StoredRun]) -> CsvTable:
    """A row for each run on the disk."""
    return _table(_RUN, stored_runs_to_json(runs)["runs"])


def listing_to_csv(listing: Listing) -> CsvTable:
    """A row for each tensor event."""
    return _table(_EVENT, listing_to_json(listing)["tensors"])


def histories_to_csv(histories: Mapping[str, TensorHistory]) -> CsvTable:
    """A row for each event of the tensor, in all processes."""
    named = [
        {**event, **({"process": process} if process else {})}
        for process, history in histories.items()
        for event in history_to_json(history)["events"]
    ]
    return _table(_EVENT, named)


def functions_to_csv(functions: Sequence[TracedFunction]) -> CsvTable:
    """A row for each trace of each function."""
    rows = [
        {**trace, "name": function["name"], "definition": function["definition"]}
        for function in functions_to_json(functions)["functions"]
        for trace in function["traces"]
    ]
    return _table(_FUNCTION, rows)


def layers_to_csv(layers: Sequence[Layer], inner_of: Sequence[Layer]) -> CsvTable:
    """A row for each output of each layer.

    Args:
        layers: The layers.
        inner_of: Those of which the tensors inside have rows, too; `place` says which is which.
    """
    inside = {layer.path for layer in inner_of}
    rows = [
        {**tensor, "path": layer["path"], "class": layer["class"], "place": place}
        for layer in layers_to_json(layers)["layers"]
        for place, tensors in (("output", layer["outputs"]), ("inner", layer["inner"]))
        for tensor in (tensors if place == "output" or layer["path"] in inside else ())
    ]
    return _table(_LAYER, rows)


def captures_to_csv(captures: Sequence[Capture]) -> CsvTable:
    """A row for each capture; its suspects are those that were not finite, with blanks between."""
    rows = [
        {**capture, "suspects": [suspect["name"] for suspect in capture["suspects"]]}
        for capture in captures_to_json(captures)["captures"]
    ]
    return _table(_CAPTURE, rows)


def graph_to_csv(graph: FunctionGraph) -> CsvTable:
    """A row for each operation of a graph as it was built; what it takes and gives has blanks between."""
    return _table(_NODE, function_graph_to_json(graph)["nodes"])


def run_graph_to_csv(graph: ExecutedGraph) -> CsvTable:
    """A row for each operation of a graph as it ran."""
    return _table(_RUN_NODE, run_graph_to_json(graph)["nodes"])


def diff_to_csv(result: Comparison) -> CsvTable:
    """A row for each two values of the runs that correspond, in the order of the data flow."""
    return _table(_PAIR, diff_to_json(result)["errors"])


def _table(columns: tuple[str, ...], rows: Iterable[Mapping[str, Any]]) -> CsvTable:
    return CsvTable(columns, tuple(tuple(_cell(row, column) for column in columns) for row in rows))


def _cell(row: Mapping[str, Any], column: str) -> Any:
    value: Any = row
    for name in column.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, list):
        # Of a shape the JSON, for no dimension is one too; of names the names.
        return str(value) if column == "shape" else " ".join("?" if each is None else str(each) for each in value)
    return value
