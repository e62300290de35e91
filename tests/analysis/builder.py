"""Builds traces in memory, as the recorder would have written them: functions, calls, executions and tensor events.

trace = TraceBuilder()
loss = trace.function("loss")
probs = loss.argument("probs")
log = loss.op("Log", probs)
run = trace.run(loss)
run.event(probs, [0.0, 1.0])
run.event(log, [-inf, 0.0])
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from tensordbg.analysis.finding import WhyResult
from tensordbg.analysis.flow.values import Values, locate_values
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.events import read_bad, read_events, read_executions
from tensordbg.model import NONE, CallKind, TensorRef
from tensordbg.trace.program.catalog import Catalog
from tensordbg.trace.program.facts import End, TraceFacts
from tensordbg.trace.schema import TABLES
from tensordbg.trace.sums.by_step import StepSums
from tensordbg.trace.sums.totals import Summing, Sums

FILE = "/home/me/train.py"
LIBRARY = "/usr/lib/python3/site-packages/tensorflow/python/ops/math_ops.py"
BACKPROP = "/usr/lib/python3/site-packages/tensorflow/python/eager/backprop.py"

inf, nan = math.inf, math.nan


def names(result: WhyResult) -> list[str]:
    """The tensors of all origins, in order."""
    return [origin.view.tensor for origin in result.origins]


def located(trace: TraceBuilder) -> Values:
    """Where all values of a trace lie."""
    bad, not_a_number = read_bad(trace)
    program = read_program(trace)
    executions = read_executions(trace, program)
    return locate_values(program, read_events(trace, executions, bad, not_a_number), executions)


@dataclass
class Graph:
    """A function under construction."""

    trace: TraceBuilder
    number: int
    name: str
    runtime_name: str
    arguments: list[int] = field(default_factory=list)
    outputs: list[TensorRef] = field(default_factory=list)
    captures: list[int] = field(default_factory=list)
    graph: int = NONE
    stack: int = NONE
    tracing: str = ""

    def argument(self, name: str, dtype: str = "float32", variable: int = NONE) -> TensorRef:
        ref = self.op("Placeholder", name=name, dtypes=[dtype], argument=len(self.arguments))
        self.arguments.append(ref.site)
        self.captures.append(variable)
        return ref

    def op(self, op_type: str, *inputs: TensorRef, name: str = "", dtype: str = "float32", **fields: Any) -> TensorRef:
        """An operation; its first output."""
        taken = {row["name"] for row in self.trace.sites if row["function"] == self.number}
        unique, count = name or op_type, 0
        while unique in taken:
            count += 1
            unique = f"{name or op_type}_{count}"
        return TensorRef(self.trace.site(self.number, unique, op_type, inputs, {"dtypes": [dtype]} | fields), 0)

    def call(self, called: Graph, *inputs: TensorRef, name: str = "PartitionedCall") -> list[TensorRef]:
        """Call another function; all results."""
        return self._call(CallKind.CALL, "StatefulPartitionedCall", [called], inputs, name, called)

    def cond(self, then: Graph, other: Graph, *inputs: TensorRef, name: str = "cond") -> list[TensorRef]:
        return self._call(CallKind.IF, "StatelessIf", [then, other], inputs, name, then)

    def loop(self, cond: Graph, body: Graph, *inputs: TensorRef, name: str = "while") -> list[TensorRef]:
        return self._call(CallKind.WHILE, "StatelessWhile", [cond, body], inputs, name, body)

    def read(self, variable: int, name: str = "ReadVariableOp") -> TensorRef:
        return self.op("ReadVariableOp", name=name, reads=[variable])

    def write(self, variable: int, *values: TensorRef, op_type: str = "AssignVariableOp") -> TensorRef:
        return self.op(op_type, *values, dtypes=[], writes=[variable])

    def returns(self, *refs: TensorRef) -> None:
        """Results are identities, as in TensorFlow."""
        self.outputs += [
            self.op("Identity", ref, dtypes=self.trace.sites[ref.site]["dtypes"][ref.slot :][:1]) for ref in refs
        ]

    def _call(
        self, kind: CallKind, op_type: str, called: list[Graph], inputs: Sequence[TensorRef], name: str, like: Graph
    ) -> list[TensorRef]:
        dtypes = [self.trace.sites[ref.site]["dtypes"][ref.slot] for ref in like.outputs]
        names = [graph.runtime_name for graph in called]
        site = self.op(op_type, *inputs, name=name, dtypes=dtypes, call=kind.value, called=names).site
        return [TensorRef(site, slot) for slot in range(len(dtypes))]


@dataclass
class Run:
    """An execution under construction."""

    trace: TraceBuilder
    number: int
    step: int

    def event(
        self,
        ref: TensorRef,
        values: Any,
        path: str = "",
        frame: int = 0,
        iteration: int | None = None,
        dtype: str = "",
    ) -> int:
        """A tensor; its number."""
        return self.trace.event(self.number, self.step, ref, values, path, frame, iteration, dtype)


class TraceBuilder:
    """A trace in memory; has the `table` of a trace on disk."""

    def __init__(self, source: Sequence[str] = ()) -> None:
        self.sites: list[dict[str, Any]] = []
        self.edges: list[dict[str, int]] = []
        self.graphs: list[Graph] = []
        self.executions: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.variables: list[dict[str, Any]] = []
        self.paths: dict[str, int] = {"": 0}
        self.stacks: list[dict[str, Any]] = []
        self.lines = list(source)
        self._steps: dict[tuple[int, int], int] = {}
        self.given: dict[str, pa.Table] = {}
        self.facts = TraceFacts(end=End(0))

    # What the program consists of.

    def function(self, name: str, runtime_name: str = "") -> Graph:
        number = len(self.graphs)
        graph = Graph(self, number, name, runtime_name or f"__inference_{name}_{number}", graph=number)
        self.graphs.append(graph)
        return graph

    def forward(self, graph: Graph, *further: TensorRef) -> Graph:
        """The forward pass of a function for a tape outside: it returns more than the function."""
        variant = Graph(
            self, len(self.graphs), graph.name, f"__forward_{graph.name}", graph.arguments,
            [*graph.outputs, *further], graph.captures, graph.number,
        )  # fmt: skip
        self.graphs.append(variant)
        return variant

    def variable(self, name: str, shape: str = "[]", **fields: Any) -> int:
        row = {"variable": len(self.variables), "name": name, "dtype": "float32", "shape": shape}
        self.variables.append(row | fields)
        return len(self.variables) - 1

    def site(
        self,
        function: int,
        name: str,
        op_type: str,
        inputs: Sequence[TensorRef] = (),
        fields: dict[str, Any] | None = None,
    ) -> int:
        fields = dict(fields or {})
        number = len(self.sites)
        stack = self._stack(fields.pop("line", 0), fields.pop("backprop", ""), fields.pop("within", "step"))
        row = {
            "site": number, "name": name, "op_type": op_type, "function": function, "stack": stack,
            "dtypes": ["float32"], "device": "", "call": "", "called": [], "argument": NONE, "reads": [], "writes": [],
            "gradient_of": NONE, "attributes": "{}", "layer": "", "framework": "", "backward": None,
        }  # fmt: skip
        assert not set(fields) - set(row), fields
        self.sites.append(row | fields)
        for k, ref in enumerate(inputs):
            self.edges.append({"site": number, "input": k, "from_site": ref.site, "from_slot": ref.slot})
        return number

    def _stack(self, line: int, backprop: str, within: str) -> int:
        number = len(self.stacks)
        frames = [(FILE, 1, "<module>", True), (FILE, line or number + 2, within, True)]
        frames += [(BACKPROP, 160, backprop, False)] if backprop else []
        frames += [(LIBRARY, 700, "log", False)]
        self.stacks.append({"stack": number, "frames": frames})
        return number

    # What ran.

    def run(self, graph: Graph, *inputs: int) -> Run:
        """Call a function from Python; inputs as `output` gives them."""
        name = next(number for number, each in enumerate(self.graphs) if each.name == graph.name)
        return self._execution(graph.number, NONE, inputs, (0, name))

    def eager(
        self, op_type: str, *inputs: int, values: Any = None, site: int = NONE, dtype: str = "float32", **fields: Any
    ) -> Run:
        """Run an operation eagerly, with one result."""
        if site == NONE:
            site = self.site(NONE, op_type, op_type, (), {"dtypes": [dtype]} | fields)
        run = self._execution(NONE, site, inputs, (1, site))
        if values is not None:
            run.event(TensorRef(site, 0), values)
        return run

    def output(self, run: Run, slot: int = 0) -> int:
        """A result of an execution, as an input of another."""
        return run.number << 16 | slot

    def _execution(self, function: int, site: int, inputs: Sequence[int], what: tuple[int, int]) -> Run:
        step = self._steps.get(what, 0)
        self._steps[what] = step + 1
        number = len(self.executions) + 1
        self.executions.append(
            {
                "execution": number, "function": function, "site": site, "step": step, "thread": 1,
                "begin_ns": number, "end_ns": number, "failed": False, "inputs": list(inputs),
            }
        )  # fmt: skip
        return Run(self, number, step)

    def event(
        self, execution: int, step: int, ref: TensorRef, values: Any, path: str = "", frame: int = 0,
        iteration: int | None = None, dtype: str = "", run: int = 0,
    ) -> int:  # fmt: skip
        number = len(self.events)
        dtype = dtype or self.sites[ref.site]["dtypes"][ref.slot]
        array = np.asarray(values, dtype=np.float64)
        self.events.append(
            {
                "event": number, "time_ns": number, "execution": execution, "step": step, "run": run, "site": ref.site,
                "slot": ref.slot, "path": self.paths.setdefault(path, len(self.paths)), "frame": frame,
                "iteration": iteration, "device": "CPU:0", "thread": 1, "dtype": dtype,
                "shape": json.dumps(list(array.shape)), **measured(array),
            }
        )  # fmt: skip
        return number

    # As a reader gives it.

    def table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        table = self.given.get(name)
        if table is None:
            table = pa.Table.from_pylist(self._rows(name), schema=TABLES[name])
        return table if columns is None else table.select(list(columns))

    def count(self, name: str) -> int:
        return len(self.table(name))

    def tensors(self, begin: int, end: int, columns: Sequence[str]) -> pa.Table:
        return self.table("tensors", columns).slice(begin, end - begin)

    def take(self, events: Any, columns: Sequence[str]) -> pa.Table:
        return self.table("tensors", columns).take(events)

    def sums(self) -> Sums:
        program = read_program(self)
        summing = Summing(Catalog(program.sites, {}, program.stacks, {}, program.variables), Sums())
        summing.add_tensors(self.table("tensors"))
        summing.add_executions(self.table("executions"))
        return summing.sums

    def step_sums(self) -> StepSums:
        return self.sums().by_step or StepSums()

    def events_of(self, sites: Sequence[int], steps: range, columns: Sequence[str]) -> pa.Table:
        rows = [row for row in self.events if row["site"] in sites and row["step"] in steps]
        return pa.Table.from_pylist(rows, schema=TABLES["tensors"]).select(list(columns))

    def _rows(self, name: str) -> list[dict[str, Any]]:
        if name == "functions":
            return [
                {
                    "function": graph.number, "name": graph.name, "runtime_name": graph.runtime_name,
                    "graph": graph.graph, "stack": graph.stack, "arguments": graph.arguments,
                    "output_sites": [ref.site for ref in graph.outputs],
                    "output_slots": [ref.slot for ref in graph.outputs],
                    "captures": graph.captures, "signature": "", "notes": [], "tracing": graph.tracing,
                }
                for graph in self.graphs
            ]  # fmt: skip
        if name == "stacks":
            return [
                {
                    "stack": stack["stack"],
                    "depth": depth,
                    "file": file,
                    "line": line,
                    "function": function,
                    "user": user,
                }
                for stack in self.stacks
                for depth, (file, line, function, user) in enumerate(stack["frames"])
            ]
        if name == "sources":
            return [{"file": FILE, "sha256": "", "text": "\n".join(self.lines)}]
        if name == "tensors":
            return self.events
        if name == "paths":
            return [{"path": number, "name": path} for path, number in self.paths.items()]
        rows: list[dict[str, Any]] = getattr(self, name)
        return rows


def measured(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    """The health of some values, as columns of `tensors`."""
    flat = array.ravel()
    finite = flat[np.isfinite(flat)]
    bad = np.flatnonzero(~np.isfinite(flat))
    return {
        "size": flat.size,
        "negative": int((finite < 0).sum()),
        "zero": int((finite == 0).sum()),
        "positive": int((finite > 0).sum()),
        "neg_inf": int((flat == -inf).sum()),
        "pos_inf": int((flat == inf).sum()),
        "nan": int(np.isnan(flat).sum()),
        "subnormal": int(((finite != 0) & (np.abs(finite) < 1.17549435e-38)).sum()),
        "first_bad": int(bad[0]) if bad.size else -1,
        "min": float(finite.min()) if finite.size else None,
        "max": float(finite.max()) if finite.size else None,
        "sum": float(finite.sum()),
        "sum_squares": float((finite**2).sum()) if finite.size and np.abs(finite).max() < 1e150 else inf,
    }
