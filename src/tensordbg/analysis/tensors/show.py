"""The history of one tensor: its health in every step and iteration, and the line that created it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.graphs.not_recorded import why_not_recorded
from tensordbg.analysis.names.listing import (
    PROGRAM_ORDER,
    ListedTensor,
    Order,
    Selection,
    count_tensors,
    list_tensors,
    recorded_tensors,
    rows_before_bad,
    split_slot,
)
from tensordbg.analysis.names.naming import AllTensors, find_named, nearest
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.program.python_names import tensors_named
from tensordbg.analysis.query import one_database, quoted, sql
from tensordbg.analysis.tensors.batch_origins import with_batches
from tensordbg.analysis.tensors.composites import with_values
from tensordbg.analysis.tensors.nested_iterations import with_iterations
from tensordbg.analysis.tensors.pipeline_calls import with_calls
from tensordbg.errors import UsageError
from tensordbg.trace.reader import TraceReader


@dataclass(frozen=True)
class TensorHistory:
    """One tensor over time."""

    tensor: str
    """Name and slot; where it was found by its name in the program's text, that name."""
    op_types: tuple[str, ...]
    """More than one where several functions have an operation of this name."""
    functions: tuple[str, ...]
    """The functions that have it, for eager code the functions around its lines."""
    sources: tuple[SourceLine, ...]
    """The lines that created it."""
    variables: tuple[str, ...]
    """The names of the variables of which it is the value."""
    total: int
    """How many events it has; `points` may be fewer."""
    skipped: int
    """How many events come before the first of `points`."""
    points: tuple[ListedTensor, ...]
    """In the order in which they were recorded."""


def history_of(reader: TraceReader, tensor: str, function: str = "", limit: int = 0) -> TensorHistory:
    """Finds the events of one tensor.

    Args:
        reader: The trace.
        tensor: Any name that `naming` knows, with `:` and the slot, which is 0 by default.
        function: Only in functions of this name, or fitting this pattern; empty for all.
        limit: At most so many events, those around the first that is not finite, or else the last ones; 0 for all.

    Raises:
        UsageError: If the trace has no such tensor.
    """
    with one_database({"": reader}):
        whole, selection = _resolved(reader, tensor, function)
        skipped = _before(reader, selection, limit)
        listing = list_tensors(reader, selection, Order(PROGRAM_ORDER, limit=limit, skip=skipped))
        points = with_values(reader, with_batches(reader, with_calls(reader, listing.rows)))
        points = with_iterations(reader, points)
    return TensorHistory(
        tensor=whole,
        op_types=tuple(dict.fromkeys(point.op_type for point in points)),
        functions=tuple(dict.fromkeys(point.function for point in points)),
        sources=_sources(reader, points),
        variables=tuple(dict.fromkeys(name for point in points for name in point.variables)),
        total=listing.total,
        skipped=skipped,
        points=points,
    )


def _resolved(reader: TraceReader, tensor: str, function: str) -> tuple[str, Selection]:
    """The tensors that a name means, and how that is called."""
    name, slot = split_slot(tensor)
    whole = f"{name}:{slot or 0}"
    selection = Selection(tensor=whole, function=function)
    if count_tensors(reader, selection) and (slot is not None or not _may_have_note(reader, name)):
        return whole, selection
    program, recorded = read_program(reader), recorded_tensors(reader, function)
    named = find_named(program, tensor, recorded)
    if not named.tensors:
        raise UsageError(_unknown(reader, program, named.name or whole, function))
    if not named.name:
        raise UsageError(named.choices(tensor))
    return named.name, Selection(places=named.tensors, calls=named.calls, function=function)


def _may_have_note(reader: TraceReader, name: str) -> bool:
    """Whether a note of any operation has a name in it, which is seen without reading the whole program."""
    told = sql(reader, f"SELECT count(*) AS n FROM sites WHERE contains(attributes, {quoted(json.dumps(name))})")
    return bool(told.column("n")[0].as_py())


def histories_of(
    processes: Mapping[str, TraceReader], find: Callable[[TraceReader], TensorHistory]
) -> dict[str, TensorHistory]:
    """The history of a tensor in each process of a run that has it, by the name of the process.

    Raises:
        UsageError: If no process has it.
    """
    found: dict[str, TensorHistory] = {}
    problems = []
    for name, reader in processes.items():
        try:
            found[name] = find(reader)
        except UsageError as error:
            problems.append(error)
    if not found:
        raise problems[0]
    return found


def _before(reader: TraceReader, selection: Selection, limit: int) -> int:
    """How many events are left out before those that are shown."""
    total = count_tensors(reader, selection)
    if not 0 < limit < total:
        return 0
    first_bad = rows_before_bad(reader, selection)
    return max(0, min(total if first_bad is None else first_bad - limit // 2, total - limit))


def _sources(reader: TraceReader, points: tuple[ListedTensor, ...]) -> tuple[SourceLine, ...]:
    frames = dict.fromkeys(point.source for point in points if point.source is not None)
    files = {frame.file for frame in frames}
    sources = reader.table("sources", ["file", "text"]).to_pylist() if files else []
    lines = {row["file"]: row["text"].splitlines() for row in sources if row["file"] in files}
    return tuple(
        SourceLine(frame.file, frame.line, frame.function, frame.user, _line(lines.get(frame.file, []), frame.line))
        for frame in frames
    )


def _line(lines: list[str], number: int) -> str:
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def _unknown(reader: TraceReader, program: Program, tensor: str, function: str) -> str:
    recorded = recorded_tensors(reader)
    where = f" in a function {function!r}" if function else ""
    if function and find_named(program, tensor, recorded).tensors:
        return f"no tensor {tensor!r}{where}; leave `--function` out to see where it is"
    why = why_not_recorded(reader, program, split_slot(tensor)[0], recorded)
    if why:
        return f"nothing was recorded of {tensor!r}: {why}"
    named = next(iter(tensors_named(program, split_slot(tensor)[0], AllTensors())), None)
    if named is not None and (why := why_not_recorded(reader, program, program.sites[named.site].name, recorded)):
        operation = f"{program.sites[named.site].name}:{named.slot}"
        return f"nothing was recorded of {split_slot(tensor)[0]!r} ({operation}): {why}"
    near = nearest(program, tensor, recorded)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "`tdbg ls` lists the tensors"
    return f"no tensor {tensor!r} in {reader.path}; {hint}"
