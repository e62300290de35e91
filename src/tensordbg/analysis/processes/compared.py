"""The answer on a run of several processes, with what their sums tell: who differs, stands still, or is alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tensordbg.analysis.columns.reading import SummedTrace, TraceSource
from tensordbg.analysis.finding import ProcessSummary, WhyResult
from tensordbg.analysis.processes.names import several
from tensordbg.analysis.processes.other_parameters import other_parameters
from tensordbg.analysis.processes.standing_for import Chosen
from tensordbg.analysis.processes.standing_still import standing_still


def compared(result: WhyResult, processes: Mapping[str, TraceSource], chosen: Chosen) -> WhyResult:
    """Complete what is known from those that were studied."""
    summed = {name: trace for name, trace in processes.items() if isinstance(trace, SummedTrace)}
    if len(summed) < 2:
        return result
    alerts = (*other_parameters(summed), *standing_still(summed), *result.alerts)
    result = replace(result, alerts=alerts)
    if len(chosen.stands_for) == len(processes):
        return result
    summaries = tuple(_summaries(summed))
    return replace(
        result,
        tensor_events=sum(each.tensor_events for each in summaries),
        non_finite_events=sum(each.non_finite_events for each in summaries),
        steps=max(each.steps for each in summaries),
        processes=summaries,
        notes=(*result.notes, *_notes(chosen)),
    )


def _summaries(summed: Mapping[str, SummedTrace]) -> Iterator[ProcessSummary]:
    for name, trace in summed.items():
        sums = trace.sums()
        yield ProcessSummary(name, sums.events, sums.bad, sums.steps)


def _notes(chosen: Chosen) -> Iterator[str]:
    for name, others in chosen.stands_for.items():
        if others:
            went = "the same went bad in them in the same step, or nothing did"
            yield f"{name} was looked at for {several(others)} also: {went}"
    if chosen.left:
        yield f"other operations went bad in {several(chosen.left)}, which were not looked at; --process does"
