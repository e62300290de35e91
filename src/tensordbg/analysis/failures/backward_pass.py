"""An error in a backward pass: the operation that it differentiates, and who took away what its gradient needs.

PyTorch says which tensor was overwritten, or that a graph was gone through before, and never where. A gradient's site
names its forward operation; what that took and gave, and who wrote there later, was recorded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import TraceSource
from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.recorded import RecordedPast
from tensordbg.analysis.finding import Beginning
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import Executions
from tensordbg.analysis.program.layer_path import layer_path
from tensordbg.analysis.program.locations import Locations
from tensordbg.model import NONE, Site
from tensordbg.operations.frameworks import TORCH
from tensordbg.operations.lookup import is_in_place
from tensordbg.trace.program.facts import Failure

_OVERWRITTEN = re.compile(r"modified by an inplace operation(?:: \[[\w.]+ \[(?P<shape>[\d, ]*)\]\])?")
_GONE = re.compile(r"backward through the graph a second time")

_MOST_RUNS = 4
"""So many runs of an operation are looked at, the last ones."""

_CARRIED = "what is carried over from there to here is not cut off, so that this pass goes back through it"


@dataclass(frozen=True)
class Recording:
    """The trace from which the past is read, with what was already read of it."""

    trace: TraceSource
    program: Program
    executions: Executions


def in_backward_pass(told: Failure, recording: Recording, locations: Locations) -> Iterator[Beginning]:
    """Yields what is to be told of an operation that failed in a backward pass; nothing of any other."""
    program = recording.program
    site = program.sites.get(told.site)
    forward = None if site is None or site.framework != TORCH else program.sites.get(site.gradient_of)
    if forward is None:
        return
    layer = f" in layer {layer_path(forward)}" if layer_path(forward) else ""
    yield _at("forward", forward, f"the gradient of {forward.name}:0{layer}", locations)
    if (overwritten := _OVERWRITTEN.search(told.message)) is not None:
        yield from _overwritten(recording, forward, overwritten["shape"], locations)
    if _GONE.search(told.message) and (before := _pass_before(recording, forward)) is not None:
        words = "a backward pass went through the graph here, and freed what the next one needs"
        yield _at("backward", before, words, locations)


def _overwritten(recording: Recording, forward: Site, shape: str | None, locations: Locations) -> Iterator[Beginning]:
    """Who wrote into what an operation took or gave, after it had run: last, or in a step that is gone back into."""
    (rows,) = np.nonzero(recording.executions.site == forward.site)
    wanted = None if shape is None else tuple(int(dim) for dim in shape.replace(" ", "").split(",") if dim)
    for row in rows[::-1][:_MOST_RUNS].tolist():
        found = _writer(recording, forward, row, wanted)
        if found is None:
            continue
        site, made = found
        words = f"{site.name}:0 wrote over {made.tensor}, which its gradient needs as it was"
        if row != rows[-1]:
            ago = len(rows) - 1 - int(np.searchsorted(rows, row))
            words = f"{words} {ago} {'run' if ago == 1 else 'runs'} before the last: {_CARRIED}"
        yield _at("overwritten", site, words, locations)
        return


def _writer(recording: Recording, forward: Site, run: int, wanted: tuple[int, ...] | None) -> tuple[Site, Made] | None:
    """The first operation that wrote into what a run of an operation took or gave, and what that was."""
    executions, sites = recording.executions, recording.program.sites
    needed = {(run, slot) for slot in range(len(forward.dtypes) or 1)} | set(_inputs(executions, run))
    past = RecordedPast(recording.trace, recording.program, executions, run)
    for row in range(run + 1, len(executions)):
        site = sites.get(int(executions.site[row]))
        if site is None or not (site.writes or is_in_place(site.op_type)):
            continue
        for maker, slot in _inputs(executions, row)[:1]:
            made = past.output(int(executions.number[maker]), slot) if (maker, slot) in needed else None
            if made is not None and _is_wanted(made, wanted):
                return site, made
    return None


def _is_wanted(made: Made, wanted: tuple[int, ...] | None) -> bool:
    return wanted is None or made.shape is None or math.prod(made.shape) >= math.prod(wanted)


def _inputs(executions: Executions, row: int) -> list[tuple[int, int]]:
    """Rows and slots of what an execution took, as far as they are known."""
    places = range(int(executions.input_starts[row]), int(executions.input_starts[row + 1]))
    pairs = [(int(executions.input_row[k]), int(executions.input_slot[k])) for k in places]
    return [pair for pair in pairs if pair[0] != NONE]


def _pass_before(recording: Recording, forward: Site) -> Site | None:
    """An operation that has computed the gradient of another."""
    ran = set(np.unique(recording.executions.site[~recording.executions.failed]).tolist())
    sites = recording.program.sites.values()
    return next((each for each in sites if each.gradient_of == forward.site and each.site in ran), None)


def _at(what: str, site: Site, words: str, locations: Locations) -> Beginning:
    return Beginning(what, "", f"{site.name}:0", site.op_type, words, locations.own(locations.stack(site.stack)))
