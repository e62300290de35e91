"""Operations that ran on the CPU although the program saw a GPU, and why, where that can be told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tensordbg.advice.lookup import fix
from tensordbg.analysis.columns.reading import TraceSource, tensor_pieces
from tensordbg.analysis.finding import Alert, SourceLine
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.details import function_name
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Operation
from tensordbg.operations.traits import Trait

_ON_A_GPU = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
"""What is worth a GPU; whole numbers are mostly shapes and indices, which frameworks keep on the CPU on purpose."""

_AT_HOME = frozenset({Kind.ARGUMENT, Kind.CONSTANT, Kind.INPUT, Kind.RESTORE})
"""What belongs on the CPU: it takes its value from Python or a file, or has none to compute."""

_ASKED = "the program asked for it"
_NO_KERNEL = "it has no kernel for a GPU"
_VARIABLE = "its variable lies there"
_UNKNOWN = "nothing in the program asks for it"

_FIXES = {_ASKED: "asked", _NO_KERNEL: "no_kernel", _VARIABLE: "variable", _UNKNOWN: "unknown"}


@dataclass(frozen=True)
class _Ran:
    """How often an output of a site was computed where."""

    on_cpu: int = 0
    on_gpu: int = 0


def placement_alerts(trace: TraceSource, program: Program) -> Iterator[Alert]:
    """One alert for each line and type of operation that ran on the CPU alone; none where no GPU was seen."""
    if not any("GPU" in device for device in trace.facts.devices):
        return
    ran = _count(trace)
    in_graphs = any(each.on_gpu for number, each in ran.items() if _in_graph(program, number))
    groups: dict[tuple[str, int, str, str], list[Site]] = {}
    locations = Locations(program)
    for number, each in ran.items():
        site = program.sites.get(number)
        if site is None or each.on_gpu or _belongs_there(site):
            continue
        reason = _reason(site, trace)
        # If nothing in any graph is said to have run on the GPU, the recorder could not tell.
        if site.function != NONE and not in_graphs and reason != _ASKED:
            continue
        line = locations.own(locations.stack(site.stack))
        place = (line.file, line.line) if line else ("", 0)
        groups.setdefault((*place, site.op_type, reason), []).append(site)
    for (_, _, _, reason), sites in groups.items():
        count = sum(ran[site.site].on_cpu for site in sites)
        yield _alert(program, sites, reason, (locations.own(locations.stack(sites[0].stack)), count))


def _count(trace: TraceSource) -> dict[int, _Ran]:
    """How often each site's outputs of floating point were computed where; not those of input pipelines."""
    counts: dict[int, _Ran] = {}
    for _, piece in tensor_pieces(trace, ["site", "device", "dtype", "execution"]):
        grouped = piece.group_by(["site", "device", "dtype"]).aggregate([("execution", "count"), ("execution", "max")])
        for row in grouped.to_pylist():
            if row["dtype"] in _ON_A_GPU and row["execution_max"] != NONE:
                before = counts.get(row["site"], _Ran())
                on_gpu = row["execution_count"] if "GPU" in (row["device"] or "") else 0
                on_cpu = row["execution_count"] if "CPU" in (row["device"] or "") else 0
                counts[row["site"]] = _Ran(before.on_cpu + on_cpu, before.on_gpu + on_gpu)
    return counts


def _in_graph(program: Program, number: int) -> bool:
    site = program.sites.get(number)
    return site is not None and site.function != NONE


def _belongs_there(site: Site) -> bool:
    return site.argument != NONE or _is_at_home(operation_of(site))


def _is_at_home(operation: Operation) -> bool:
    return operation.kind in _AT_HOME or operation.has(Trait.CALLS_PYTHON, Trait.OF_PIPELINES)


def _reason(site: Site, trace: TraceSource) -> str:
    if "CPU" in site.device.upper():
        return _ASKED
    if site.op_type in trace.facts.without_gpu_kernel:
        return _NO_KERNEL
    return _VARIABLE if site.reads or site.writes else _UNKNOWN


def _alert(program: Program, sites: list[Site], reason: str, found: tuple[SourceLine | None, int]) -> Alert:
    first, (source, count) = sites[0], found
    place = f" at {source.place}" if source else ""
    return Alert(
        kind="placement",
        function=function_name(program, first),
        tensor=f"{first.name}:0",
        source=source,
        explanation=f"{first.op_type}{place} ran on the CPU although the program sees a GPU: {reason}",
        suggestion=fix(first.framework, "placement", _FIXES[reason]),
        evidence={"asked": first.device, "tensors": count, "operations": len(sites), "reason": reason},
    )
