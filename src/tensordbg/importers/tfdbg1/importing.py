"""Makes a trace of the runs that a wrapper dumped: each is the call of a function of what it feeds and fetches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tensordbg.errors import RecordingError
from tensordbg.importers.new_trace import SEGMENT_RECORDS, new_trace
from tensordbg.importers.tfdbg1.folders import DumpedRun, DumpedTensor, find_dumps
from tensordbg.importers.tfdbg1.graphs import RunNode, node_name, nodes_of
from tensordbg.importers.tfdbg1.messages import read_event
from tensordbg.importers.tfdbg1.tensors import event_of
from tensordbg.importers.tfdbg2.writing import Names
from tensordbg.model import NONE, CallKind, Detail, Function, Site, TensorRef
from tensordbg.operations.frameworks import TENSORFLOW
from tensordbg.trace.events import EventWriter, ExecutionEvent, Moment, TensorEvent
from tensordbg.trace.program.metadata import TraceMetadata
from tensordbg.trace.writer import TraceWriter

_IN_LOOP = 1
"""The frame of a tensor that was computed several times in a run."""


@dataclass(frozen=True)
class ImportedDump:
    """The runs of one folder, which became a trace."""

    folder: Path
    trace: Path
    executions: int
    tensors: int


def import_dumps(folder: Path, out: Path) -> list[ImportedDump]:
    """Makes a trace of each set of runs in a folder and in those under it.

    Raises:
        UsageError: If the traces can't be written.
        TraceError: If a dump is damaged.
    """
    return [_import(root, runs, out) for root, runs in find_dumps(folder).items()]


def _import(root: Path, runs: Sequence[DumpedRun], out: Path) -> ImportedDump:
    with new_trace(out, root.resolve().name) as trace:
        tensors = _write(trace, root, runs)
    return ImportedDump(root, trace, len(runs), tensors)


def _write(trace: Path, root: Path, runs: Sequence[DumpedRun]) -> int:
    writer = TraceWriter.create(trace, _metadata(root, runs))
    with EventWriter(trace, SEGMENT_RECORDS) as events:
        _Runs(writer, events).write(runs)
    last = max((tensor.micros for tensor in runs[-1].tensors()), default=runs[-1].order[0])
    # Nothing tells how the program ended; that it was cut off would show.
    writer.fact({"end": {"time_ns": last * 1000}})
    writer.close()
    if writer.failure:
        raise RecordingError(f"{writer.failure}; make room there, or choose another folder with --out")
    return events.tensors


@dataclass(frozen=True)
class _Kind:
    """Runs that feed and fetch the same, of the same graph."""

    function: int
    call: int
    """The site of the call."""
    sites: dict[str, int]


@dataclass
class _Runs:
    """Writes runs, and what they are runs of when that comes by first."""

    trace: TraceWriter
    events: EventWriter
    _kinds: dict[object, _Kind] = field(default_factory=dict)
    _devices: Names = field(default_factory=Names)
    _steps: Counter[int] = field(default_factory=Counter)
    _sites: int = 0

    def write(self, runs: Iterable[DumpedRun]) -> None:
        """Writes all runs.

        Raises:
            RecordingError: If they can't be written.
            TraceError: If a file can't be read.
        """
        for run in runs:
            self._run(run)
        self.events.names("path", [""])
        self.events.names("device", self._devices.numbers)

    def _run(self, run: DumpedRun) -> None:
        tensors = run.tensors()
        kind = self._kind(run, tensors)
        begin = tensors[0].micros if tensors else run.order[0]
        event = ExecutionEvent(kind.call, self._steps[kind.function], kind.function)
        self._steps[kind.function] += 1
        number = self.events.begin(event, begin * 1000)
        times = Counter((tensor.node, tensor.slot, tensor.operation) for tensor in tensors)
        turns: Counter[tuple[str, int, str]] = Counter()
        for tensor in _one_of_each(tensors):
            key = (tensor.node, tensor.slot, tensor.operation)
            frame = _IN_LOOP if times[key] > 1 else 0
            moment = Moment(
                tensor.micros * 1000,
                frame=frame,
                iteration=turns[key],
                device=self._devices.number(tensor.device),
            )
            turns[key] += 1
            site = kind.sites[node_name(tensor.node)]
            self.events.tensor(number, (site, tensor.slot), _event(tensor), moment)
        self.events.end(number, (tensors[-1].micros if tensors else begin) * 1000)

    def _kind(self, run: DumpedRun, tensors: Sequence[DumpedTensor]) -> _Kind:
        asked = tuple(run.names(key) for key in ("input_names", "output_names", "target_nodes"))
        nodes = nodes_of(run.graphs())
        known = {node.name for node in nodes}
        # Where the graph was not dumped, the tensors tell which operations there were.
        lost = dict.fromkeys(name for each in tensors if (name := node_name(each.node)) not in known)
        nodes = (*nodes, *(RunNode(name, "Lost", (), "") for name in lost))
        key = (asked, nodes)
        if key not in self._kinds:
            self._kinds[key] = self._describe(asked, nodes)
        return self._kinds[key]

    def _describe(self, asked: tuple[tuple[str, ...], ...], nodes: Sequence[RunNode]) -> _Kind:
        _, outputs, targets = asked
        function, first = len(self._kinds), self._sites
        sites = {node.name: first + place for place, node in enumerate(nodes)}
        call = first + len(nodes)
        self._sites = call + 1
        fed = [node.name for node in nodes if node.fed]
        name = f"Session.run({', '.join([*(each.removesuffix(':0') for each in outputs), *targets])})"
        self.trace.sites(_site(node, function, sites, fed) for node in nodes)
        runtime_name = f"session_run_{function}"
        called = (runtime_name,)
        run = Site(call, name, "Session.run", NONE, NONE, call=CallKind.CALL, called=called, framework=TENSORFLOW)
        self.trace.sites([run])
        results = tuple(_reference(each, sites) for each in outputs)
        arguments = tuple(sites[each] for each in fed)
        self.trace.function(
            Function(function, name, runtime_name, function, NONE, arguments, results, (NONE,) * len(fed))
        )
        return _Kind(function, call, sites)


def _site(node: RunNode, function: int, sites: dict[str, int], fed: list[str]) -> Site:
    return Site(
        site=sites[node.name],
        name=node.name,
        op_type=node.op_type,
        function=function,
        stack=NONE,
        inputs=tuple(TensorRef(sites[name], slot) for name, slot in node.inputs if name in sites),
        device=node.device,
        argument=fed.index(node.name) if node.fed else NONE,
        framework=TENSORFLOW,
    )


def _reference(name: str, sites: dict[str, int]) -> TensorRef:
    node, _, slot = name.rpartition(":")
    return TensorRef(sites.get(node, NONE), int(slot) if slot.isdigit() else 0)


def _one_of_each(tensors: Iterable[DumpedTensor]) -> Iterable[DumpedTensor]:
    """Where several operations of the debugger looked at a tensor, that which kept its elements counts."""
    tensors = list(tensors)
    whole = {(each.node, each.slot) for each in tensors if each.operation == "DebugIdentity"}
    first: dict[tuple[str, int], str] = {}
    for each in tensors:
        chosen = (
            "DebugIdentity"
            if (each.node, each.slot) in whole
            else first.setdefault((each.node, each.slot), each.operation)
        )
        if each.operation == chosen:
            yield each


def _event(tensor: DumpedTensor) -> TensorEvent:
    values = read_event(tensor.path).summary.value
    return event_of(tensor.operation, values[0].tensor) if values else TensorEvent()


def _metadata(root: Path, runs: Sequence[DumpedRun]) -> TraceMetadata:
    name = root.resolve().name
    return TraceMetadata(
        id=f"{name}-{runs[0].order[0]}",
        program=name,
        command=(),
        python="",
        host="",
        pid=0,
        created_ns=runs[0].order[0] * 1000,
        clock_offset_ns=0,
        segment_records=SEGMENT_RECORDS,
        detail=Detail.VALUES,
        kernel="",
    )
