"""A small file with what a comparison needs of a run, to be kept in a repository: JSON, one value a line.

It is read by making a trace of it again: each value becomes an operation that was given the values it was made from.
`docs/summary-format.md` describes it. It may come from anywhere, so that all of it is checked here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from tensordbg.errors import TraceError, UsageError
from tensordbg.health.spec import DTYPE_NUMBERS
from tensordbg.model import NONE, SOMEWHERE, Detail, Frame, Health, Site, SourceFile, Variable
from tensordbg.opening import read_whole
from tensordbg.trace.events import EventWriter, ExecutionEvent, Moment, TensorEvent, input_reference
from tensordbg.trace.program.described import is_attributes, is_layer
from tensordbg.trace.program.metadata import TraceMetadata
from tensordbg.trace.raw.record import RecordFlag
from tensordbg.trace.writer import TraceWriter

VERSION = 1
_MOST_BYTES = 2**26
_MOST_LINE = 10**6
_MOST_NUMBER = 2**31
_MOST_SIZE = 2**48
_MOST_SLOT = 2**16


class Line(msgspec.Struct, frozen=True, array_like=True):
    """A line of the program's text."""

    file: str
    line: int
    function: str
    text: str


class Place(msgspec.Struct, frozen=True, array_like=True):
    """An operation."""

    name: str
    op_type: str
    framework: str
    backward: bool | None
    layer: str
    attributes: str
    reads: tuple[int, ...]
    line: int
    """Number of the line that created it; `NONE` where that is not known."""


class Parameter(msgspec.Struct, frozen=True, array_like=True):
    """A variable."""

    name: str
    dtype: str
    shape: str
    trainable: bool | None


class Value(msgspec.Struct, frozen=True, array_like=True):
    """A tensor: its place, its statistics, and the values it was made from, which stand before it."""

    place: int
    slot: int
    step: int
    dtype: str
    shape: tuple[int, ...] | None
    size: int
    negative: int
    zero: int
    nan: int
    neg_inf: int
    pos_inf: int
    min: float | None
    max: float | None
    sum: float
    sum_squares: float
    made_of: tuple[int, ...]


class Optimizer(msgspec.Struct, frozen=True):
    """How an optimizer was set, from a step on, as the facts of a trace tell it."""

    number: int
    group: int
    type: str
    step: int
    settings: dict[str, Any]
    variables: tuple[int, ...]
    """Rows of the parameters, as in `held`."""
    held: dict[str, int]


class Summary(msgspec.Struct, frozen=True):
    """The part of a run that is kept: its steps from the first to `last`."""

    program: str
    last: int
    lines: tuple[Line, ...]
    parameters: tuple[Parameter, ...]
    places: tuple[Place, ...]
    values: tuple[Value, ...]
    optimizers: tuple[Optimizer, ...] = ()
    """Earlier files have none."""
    version: int = VERSION
    format: str = "tensordbg summary"


def write_summary(path: Path, summary: Summary) -> None:
    """Writes a file; one that is there is replaced.

    Raises:
        UsageError: If it can't be written.
    """
    head = {name: getattr(summary, name) for name in ("format", "version", "program", "last")}
    parts = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    for name in ("lines", "parameters", "places", "optimizers", "values"):
        rows = ",\n".join(msgspec.json.encode(each).decode() for each in getattr(summary, name))
        parts.append(f"{json.dumps(name)}: [\n{rows}\n]" if rows else f"{json.dumps(name)}: []")
    try:
        path.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: can't be written ({error.strerror}); choose another file") from None


def read_summary(path: Path) -> Summary:
    """Reads a file and checks all of it.

    Raises:
        TraceError: If there is none, it is no summary, or one of a newer version.
    """
    try:
        data = read_whole(path, _MOST_BYTES)
    except OSError as error:
        raise TraceError(f"{path}: can't be read ({error.strerror}); `tdbg export --summary FILE` makes one") from None
    try:
        version = msgspec.json.decode(data, type=_Head).version
        summary = msgspec.json.decode(data, type=Summary) if version == VERSION else None
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise TraceError(f"{path}: is no summary of a run ({error}); `tdbg export --summary FILE` makes one") from None
    if summary is None:
        raise TraceError(f"{path}: is of version {version}, and {VERSION} is read; make it anew, or update tensordbg")
    if not _is_sound(summary):
        raise TraceError(f"{path}: its numbers do not fit together; make it anew by `tdbg export --summary FILE`")
    return summary


class _Head(msgspec.Struct):
    version: int
    format: str


def _is_sound(summary: Summary) -> bool:
    lines, parameters, places = len(summary.lines), len(summary.parameters), len(summary.places)
    return (
        summary.format == "tensordbg summary"
        and all(0 < each.line < _MOST_LINE for each in summary.lines)
        and all(_is_place(each, lines, parameters) for each in summary.places)
        and all(_is_value(each, number, places) for number, each in enumerate(summary.values))
    )


def _is_place(place: Place, lines: int, parameters: int) -> bool:
    return (
        NONE <= place.line < lines
        and all(0 <= each < parameters for each in place.reads)
        and is_attributes(place.attributes)
        and is_layer(place.layer)
    )


def _is_value(value: Value, number: int, places: int) -> bool:
    counts = value.negative, value.zero, value.nan, value.neg_inf, value.pos_inf
    shape = value.shape or ()
    return (
        0 <= value.place < places
        and 0 <= value.slot < _MOST_SLOT
        and NONE <= value.step < _MOST_NUMBER
        and value.dtype in DTYPE_NUMBERS
        and 0 < value.size < _MOST_SIZE
        and min(counts) >= 0
        and sum(counts) <= value.size
        and all(0 <= each < _MOST_SIZE for each in shape)
        and (value.shape is None or math.prod(shape) == value.size)
        and all(0 <= each < number for each in value.made_of)
    )


def make_trace(summary: Summary, folder: Path) -> None:
    """Makes a trace of a summary that was read, in a folder that is empty."""
    writer = TraceWriter.create(folder, _metadata(summary))
    _write_program(writer, summary)
    with EventWriter(folder, _SEGMENT) as events:
        for value in summary.values:
            inputs = [input_reference(each + 1, summary.values[each].slot) for each in value.made_of]
            execution = events.begin(ExecutionEvent(value.place, value.step, NONE, inputs), 0)
            events.tensor(execution, (value.place, value.slot), _event(value), Moment(0))
        events.names("path", [""])
        events.names("device", [""])
    for each in summary.optimizers:
        writer.fact({"optimizer": msgspec.to_builtins(each)})
    writer.fact({"end": {"time_ns": 0}})
    writer.close()


_SEGMENT = 8192


def _write_program(writer: TraceWriter, summary: Summary) -> None:
    texts: dict[str, dict[int, str]] = {}
    for number, line in enumerate(summary.lines):
        writer.stack(number, [Frame(line.file, line.line, line.function, user=True)])
        texts.setdefault(line.file, {})[line.line] = line.text.partition("\n")[0]
    for file, known in texts.items():
        whole = "\n".join(known.get(line, "") for line in range(1, max(known) + 1))
        writer.source(SourceFile(file, "", whole))
    for number, each in enumerate(summary.parameters):
        writer.variable(Variable(number, each.name, each.dtype, each.shape, each.trainable))
    writer.sites(_sites(summary.places))


def _sites(places: Sequence[Place]) -> list[Site]:
    return [
        Site(
            site=number, name=each.name, op_type=each.op_type, function=NONE, stack=each.line, reads=each.reads,
            backward=each.backward, attributes=each.attributes, framework=each.framework, layer=each.layer,
        )
        for number, each in enumerate(places)
    ]  # fmt: skip


def _event(value: Value) -> TensorEvent:
    bad = value.nan + value.neg_inf + value.pos_inf
    health = Health(
        value.size, value.negative, value.zero, value.neg_inf, value.pos_inf, value.nan,
        min=math.nan if value.min is None else value.min, max=math.nan if value.max is None else value.max,
        sum=value.sum, sum_squares=value.sum_squares, first_bad=SOMEWHERE if bad else NONE,
    )  # fmt: skip
    return TensorEvent(value.dtype, value.shape, value.size, health, RecordFlag.HEALTH)


def _metadata(summary: Summary) -> TraceMetadata:
    return TraceMetadata(
        id=f"summary-{summary.program}", program=summary.program, command=(), python="", host="", pid=0, created_ns=0,
        clock_offset_ns=0, segment_records=_SEGMENT, detail=Detail.HEALTH, kernel="",
    )  # fmt: skip
