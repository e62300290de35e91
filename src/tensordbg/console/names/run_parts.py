"""The inputs and the outputs of a run, as the trace knows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tensordbg.analysis.view.records.event_ranges import events_of
from tensordbg.console.names.runs import Runs
from tensordbg.errors import UsageError
from tensordbg.model import NONE, Function, TensorRef

if TYPE_CHECKING:
    from tensordbg.console.names.runs import CalledRuns


@dataclass(frozen=True)
class RunParts:
    """One run."""

    number: int
    row: int
    """Of its execution."""
    function: Function | None
    """What was called; None where the trace does not tell."""
    name: str
    """Of the function in Python, `Session.run(loss)` in a session."""
    feeds: tuple[tuple[str, int | None], ...]
    """Each argument by the name of its tensor, with its event where it was recorded; variables are left out."""
    fetches: tuple[str, ...]
    """The tensors that were returned."""


def parts_of_run(opened: CalledRuns, runs: Runs, number: int | None) -> RunParts:
    """The inputs and the outputs of a run.

    Args:
        opened: The trace.
        runs: Its runs.
        number: Of the run; None for the last.

    Raises:
        UsageError: If there is no such run.
    """
    if not len(runs):
        raise UsageError("the trace holds no run; an eager program calls no functions, `lt` lists its tensors")
    chosen = int(runs.numbers[-1]) if number is None else number
    row = runs.row(chosen)
    program = opened.program
    function = program.functions.get(int(opened.executions.function[row]))
    if function is None:
        return RunParts(chosen, row, None, "an unknown function", (), ())
    events = events_of(opened, row)
    sites = opened.columns.whole("site")[events]
    feeds = []
    for place, argument in enumerate(function.arguments):
        captured = place < len(function.captures) and function.captures[place] != NONE
        if argument in program.sites and not captured:
            own = events[np.flatnonzero(sites == argument)]
            if len(own) or program.sites[argument].dtypes[:1] != ("resource",):
                feeds.append((f"{program.sites[argument].name}:0", int(own[0]) if len(own) else None))
    recorded = frozenset(np.unique(sites).tolist())
    fetches = tuple(_tensor_behind(opened, ref, recorded) for ref in function.outputs if ref.site in program.sites)
    name = program.python_names.get(function.graph, function.name)
    return RunParts(chosen, row, function, name, tuple(feeds), fetches)


def _tensor_behind(opened: CalledRuns, ref: TensorRef, recorded: frozenset[int]) -> str:
    """The tensor that is returned, by the name under which it was recorded: what only passes it on was not."""
    program = opened.program
    chosen = next((each for each in program.handed_on(ref) if each.site in recorded), ref)
    return f"{program.sites[chosen.site].name}:{chosen.slot}"
