"""The history of one tensor: its health in every step and iteration, and the line that created it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.listing import (
    PROGRAM_ORDER,
    ListedTensor,
    Order,
    Selection,
    count_tensors,
    list_tensors,
    split_slot,
)
from tensordbg.analysis.not_recorded import why_not_recorded
from tensordbg.analysis.program import read_program
from tensordbg.analysis.python_names import names_of_text, tensors_named
from tensordbg.analysis.query import quoted, sql
from tensordbg.errors import UsageError
from tensordbg.model import TensorRef
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
        tensor: Name of the operation, with `:` and the slot, which is 0 by default; or a name of the program's text.
        function: Only in functions of this name, or fitting this pattern; empty for all.
        limit: At most so many events, those around the first that is not finite, or else the last ones; 0 for all.

    Raises:
        UsageError: If the trace has no such tensor.
    """
    name, slot = split_slot(tensor)
    whole = f"{name}:{slot or 0}"
    selection = Selection(tensor=whole, function=function)
    if slot is None and (named := _named(reader, name, bool(count_tensors(reader, selection)))):
        whole, selection = name, Selection(places=named, function=function)
    skipped = _before(reader, selection, limit)
    listing = list_tensors(reader, selection, Order(PROGRAM_ORDER, limit=limit, skip=skipped))
    if not listing.rows:
        raise UsageError(_unknown(reader, whole, function))
    points = listing.rows
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


def _named(reader: TraceReader, name: str, is_operation: bool) -> tuple[TensorRef, ...]:
    """The tensors of a name of the program's text; an operation of that name must bear it there, too."""
    if is_operation and not _may_be_told(reader, name):
        return ()
    return tensors_named(read_program(reader), name, _recorded(reader))


def _may_be_told(reader: TraceReader, name: str) -> bool:
    """Whether a note of any operation has a name in it, which is seen without reading the whole program."""
    told = sql(reader, f"SELECT count(*) AS n FROM sites WHERE contains(attributes, {quoted(json.dumps(name))})")
    return bool(told.column("n")[0].as_py())


def _recorded(reader: TraceReader) -> set[TensorRef]:
    pairs = sql(reader, "SELECT DISTINCT site, slot FROM tensors").to_pylist()
    return {TensorRef(pair["site"], pair["slot"]) for pair in pairs}


def histories_of(
    processes: Mapping[str, TraceReader], find: Callable[[TraceReader], TensorHistory]
) -> dict[str, TensorHistory]:
    """What is found in each process of a run that has the tensor, by the name of the process.

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
    bad = list_tensors(reader, replace(selection, non_finite=True), Order(limit=1)).rows
    if not bad:
        return total - limit
    finite = count_tensors(reader, replace(selection, before=bad[0].event))
    return max(0, min(finite - limit // 2, total - limit))


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


def _unknown(reader: TraceReader, tensor: str, function: str) -> str:
    program, recorded = read_program(reader), _recorded(reader)
    names = [f"{program.sites[ref.site].name}:{ref.slot}" for ref in recorded if ref.site in program.sites]
    names += names_of_text(program, recorded)
    where = f" in a function {function!r}" if function else ""
    if tensor in names:
        return f"no tensor {tensor!r}{where}; leave `--function` out to see where it is"
    why = why_not_recorded(reader, program, split_slot(tensor)[0], recorded)
    if why:
        return f"nothing was recorded of {tensor!r}: {why}"
    near = near_tensors(tensor, names)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "`tdbg ls` lists the tensors"
    return f"no tensor {tensor!r} in {reader.path}; {hint}"


def near_tensors(tensor: str, tensors: list[str]) -> list[str]:
    """Tensors whose names are alike, or that hold the name within a longer one."""
    wanted, _ = split_slot(tensor)
    names = {split_slot(each)[0]: each for each in sorted(tensors, reverse=True)}
    inside = sorted((name for name in names if wanted.lower() in name.lower()), key=len)
    near = dict.fromkeys([*get_close_matches(wanted, names, n=3), *inside])
    return [names[name] for name in near][:3]
