"""Reading a trace from Python: the same answers as on the command line, as dataclasses and tables."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from tensordbg.analysis.diff.result import Comparison
    from tensordbg.analysis.finding import WhyResult
    from tensordbg.analysis.graphs.as_run import ExecutedGraph
    from tensordbg.analysis.graphs.function_graph import FunctionGraph
    from tensordbg.analysis.graphs.functions import TracedFunction
    from tensordbg.analysis.graphs.layers import Layer
    from tensordbg.analysis.names.listing import Listing, Order
    from tensordbg.analysis.tensors.elements import RecordedTensor
    from tensordbg.trace.reader import TraceReader

Answer = TypeVar("Answer")


class Trace:
    """A trace on disk. Make one with `tensordbg.open`."""

    def __init__(self, reader: TraceReader) -> None:
        """Wraps an open reader."""
        self._reader = reader

    def __repr__(self) -> str:
        return f"Trace({str(self.path)!r})"

    def _repr_html_(self) -> str:
        """What a notebook shows: a small table of the findings."""
        return _shown(f"Trace {self.path}", self.why())

    @property
    def path(self) -> Path:
        """The trace's own folder."""
        return self._reader.path

    def why(self) -> WhyResult:
        """Where and why the numbers went wrong, as `tdbg why` says it."""
        from tensordbg.analysis.why import why

        return _answered(why(self._reader))

    def tensors(self, order_by: str = "event", limit: int = 0, **selection: Any) -> Listing:
        """The tensor events of a selection, as `tdbg ls` lists them.

        Args:
            order_by: One of `tensordbg.analysis.names.listing.SORT_KEYS`; with a `-` before it, the largest first.
            limit: At most so many rows, 0 for all.
            **selection: Fields of `tensordbg.analysis.names.listing.Selection`, such as `non_finite=True`; `name` may
                be any that `tdbg ls --name` takes, `layer` the path of a layer or the end of it.

        Raises:
            UsageError: If there is no such order, or no such layer.
        """
        return _listed({"": self._reader}, _order(order_by, limit), **selection)

    def tensor(self, name: str, function: str = "") -> RecordedTensor:
        """One tensor over steps and iterations, as `tdbg show` shows it; its `values()` are the elements, if kept.

        Args:
            name: Name of the operation, or the end of it, with `:` and the slot, which is 0 by default; or a name of
                the program's text, of a variable or a layer.
            function: Only in functions of this name or pattern; empty for all.

        Raises:
            UsageError: If the trace has no such tensor.
        """
        from tensordbg.analysis.tensors.elements import RecordedTensor
        from tensordbg.analysis.tensors.show import history_of

        return RecordedTensor(**vars(history_of(self._reader, name, function)), reader=self._reader)

    def functions(self) -> tuple[TracedFunction, ...]:
        """The traced functions of the program, each trace with what it was made for, as `tdbg functions` lists them."""
        from tensordbg.analysis.graphs.functions import list_functions

        return list_functions(self._reader)

    def graph(self, function: str, stage: str = "built") -> FunctionGraph | ExecutedGraph:
        """The graph of a function, as `tdbg graph` shows it, with all that it calls.

        Args:
            function: Its name, in Python or in the runtime, or its number.
            stage: `built` for the graph as Python built it, a `FunctionGraph`; `run` for what TensorFlow makes of it,
                or `recorded` for that while it was recorded, a `RunGraph`.

        Raises:
            UsageError: If there is no such function or stage, or the trace does not hold that graph.
        """
        from tensordbg.analysis.graphs.as_run import run_graph
        from tensordbg.analysis.graphs.function_graph import Section, function_graph
        from tensordbg.trace.graphs.graph_files import stage_named

        wanted = stage_named(stage)
        if wanted.value == "built":
            return function_graph(self._reader, function, Section(depth=None))
        return run_graph(self._reader, function, wanted)

    def layers(self) -> tuple[Layer, ...]:
        """The Keras layers of the program with their outputs and inner tensors, as `tdbg layers` lists them.

        Each tensor's `history()` gives it at every step.
        """
        from tensordbg.analysis.graphs.layers import list_layers

        return list_layers(self._reader)

    def table(self, name: str) -> pa.Table:
        """One of the tables of `tensordbg.trace.schema.TABLES`, as a `pyarrow.Table`.

        Raises:
            UsageError: If there is no such table.
        """
        return self._reader.table(name)

    def to_pandas(self, name: str) -> pd.DataFrame:
        """One of the tables as a pandas data frame; pandas must be installed."""
        return self.table(name).to_pandas()

    def to_polars(self, name: str) -> pl.DataFrame:
        """One of the tables as a Polars data frame; Polars must be installed."""
        import polars as pl

        frame = pl.from_arrow(self.table(name))
        assert isinstance(frame, pl.DataFrame)
        return frame

    def sql(self, query: str) -> pa.Table:
        """The answer to a query, as `tdbg sql` gives it.

        Raises:
            UsageError: If the query is not right.
        """
        from tensordbg.analysis.query import sql
        from tensordbg.analysis.query_limits import Limits

        return sql(self._reader, query, Limits())


class Run:
    """The processes of one run. Make one with `tensordbg.open_run`."""

    def __init__(self, path: Path, readers: Mapping[str, TraceReader]) -> None:
        """Wraps open readers, by the names of the processes."""
        self.path = path
        self._readers = dict(readers)

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r}: {', '.join(self._readers)})"

    def _repr_html_(self) -> str:
        """What a notebook shows: a small table of the findings."""
        return _shown(f"Run {self.path}: {', '.join(self._readers)}", self.why())

    @property
    def processes(self) -> dict[str, Trace]:
        """The trace of each process by name, such as `worker 1`."""
        return {name: Trace(reader) for name, reader in self._readers.items()}

    def why(self) -> WhyResult:
        """Which process went wrong first, where and why, and how it came to the others, as `tdbg why` says it."""
        from tensordbg.analysis.why import why_of_run

        return _answered(why_of_run(self._readers))

    def tensors(self, order_by: str = "event", limit: int = 0, **selection: Any) -> Listing:
        """The tensor events of all processes, by time unless another order is given; see `Trace.tensors`."""
        return _listed(self._readers, _order(order_by, limit), **selection)

    def sql(self, query: str) -> pa.Table:
        """The answer to a query over all processes; with several, each table has the column `process`."""
        from tensordbg.analysis.query import sql_of_run
        from tensordbg.analysis.query_limits import Limits

        return sql_of_run(self._readers, query, Limits())


def _answered(result: Answer) -> Answer:
    """The same result, which a notebook shows as `tdbg` prints it."""
    from tensordbg.report.in_notebooks import show_results_if_running

    show_results_if_running()
    return result


def _shown(name: str, result: WhyResult) -> str:
    from html import escape

    from tensordbg.report.findings.html_table import findings_table

    return f"<p><code>{escape(name)}</code></p>{findings_table(result)}"


def _listed(readers: Mapping[str, TraceReader], order: Order, layer: str = "", **selection: Any) -> Listing:
    from tensordbg.analysis.names.listing import Selection
    from tensordbg.analysis.tensors.named_listing import list_named

    return list_named(readers, Selection(**selection), layer, order).listing


def _order(order_by: str, limit: int) -> Order:
    from tensordbg.analysis.names.listing import Order

    return Order(by=order_by.removeprefix("-"), reverse=order_by.startswith("-"), limit=limit)


def open(path: str | Path = "tdbg-traces", process: str | int | None = None) -> Trace:  # noqa: A001  read as tensordbg.open
    """Opens the trace of one process for reading.

    Args:
        path: A trace, or a folder of traces, of which the newest run is meant. The program may still be running.
        process: Which process of a run of several, by its number or name, such as `worker 1`.

    Raises:
        TraceError: If there is no trace that can be read.
        UsageError: If there is no such process; or there are several, and none is given.
    """
    from tensordbg.trace.folders.runs import find_run
    from tensordbg.trace.reader import open_trace

    run = find_run(path)
    return Trace(open_trace((run.only() if process is None else run.process(str(process))).folder))


def open_run(path: str | Path = "tdbg-traces") -> Run:
    """Opens the traces of all processes of a run for reading.

    Args:
        path: A folder of traces, of which the newest run is meant; or a trace, for its process alone.

    Raises:
        TraceError: If there is no trace that can be read.
    """
    from tensordbg.trace.folders.runs import find_run
    from tensordbg.trace.reader import open_trace

    run = find_run(path)
    return Run(run.path, {process.name: open_trace(process.folder) for process in run.processes})


def why(path: str | Path = "tdbg-traces") -> WhyResult:
    """Where and why the numbers of a run went wrong: `open_run(path).why()`."""
    return open_run(path).why()


def diff(
    a: str | Path,
    b: str | Path,
    tolerance: float | None = None,
    step: int | None = None,
    names: Mapping[str, str] | None = None,
    noise: str | Path | None = None,
) -> Comparison:
    """Where the numbers of two runs part first, as `tdbg diff` says it.

    Args:
        a: The reference: a trace, or a folder of traces, of which the newest run is meant; or the file of a summary
            (`tdbg export --summary`), with whose steps the other run is compared.
        b: The other run; it may be of a program in another framework.
        tolerance: How far apart equal values may be, relative to their largest element; by default it is found out.
        step: Compare only this step.
        names: Layers, parameters and tensors of A, each with what it is called in B.
        noise: A twin of A, recorded in float64 or from perturbed parameters: the tolerance is what rounding does there.

    Raises:
        TraceError: If there is no trace that can be read.
        UsageError: If one is a run of several processes, or has nothing of a name; or the twin has nothing of A.
    """
    from tensordbg.analysis.diff.compare import Asked, compare

    twin = None if noise is None else open(noise)._reader  # noqa: SLF001  of its own module
    with _reference(a) as (reference, last):
        asked = Asked(tolerance, step, last, twin, tuple((names or {}).items()))
        return _answered(compare(reference, open(b)._reader, asked))  # noqa: SLF001  of its own module


@contextmanager
def _reference(path: str | Path) -> Iterator[tuple[TraceReader, int | None]]:
    """A trace; or that of a summary, with its last step, as long as the block runs."""
    if not Path(path).is_file():
        yield open(path)._reader, None  # noqa: SLF001  of its own module
        return
    from tensordbg.trace.reader import open_trace
    from tensordbg.trace.summary import make_trace, read_summary

    summary = read_summary(Path(path))
    with tempfile.TemporaryDirectory(prefix="tdbg-summary-") as folder:
        make_trace(summary, Path(folder))
        yield open_trace(folder), summary.last


def assert_same(a: str | Path, b: str | Path, tolerance: float | None = None) -> None:
    """Asserts that the numbers of two runs agree, for tests; see `diff`.

    Raises:
        AssertionError: If they part, or can't be compared, with what `tdbg diff` says.
        TraceError: If there is no trace that can be read.
    """
    result = diff(a, b, tolerance)
    if result.status != "same":
        from tensordbg.report.diff_text import render

        raise AssertionError(f"{a} and {b} are not the same\n{render(result)}")
