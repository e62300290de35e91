"""Why the numbers of a program went wrong: from a trace to the origins, with cause, course and suggested fix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tensordbg.analysis.alerts.table import find_alerts
from tensordbg.analysis.columns.reading import TraceSource, tensor_pieces
from tensordbg.analysis.failures.failed_operation import find_failure
from tensordbg.analysis.finding import WhyResult
from tensordbg.analysis.flow.values import locate_values
from tensordbg.analysis.origins.find import find_origins
from tensordbg.analysis.origins.fused import fused_notes
from tensordbg.analysis.origins.fusion import fusion_notes
from tensordbg.analysis.origins.notes import trace_notes
from tensordbg.analysis.origins.pipeline_elements import with_elements
from tensordbg.analysis.origins.reporter import report_origins
from tensordbg.analysis.origins.troubles import Trouble
from tensordbg.analysis.origins.unseen import unseen_notes
from tensordbg.analysis.processes.collective_transfers import find_transfers, no_transfers
from tensordbg.analysis.processes.compared import compared
from tensordbg.analysis.processes.joined import Study, join
from tensordbg.analysis.processes.standing_for import choose
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.events import read_bad, read_events, read_executions
from tensordbg.analysis.tensors.batch_origins import events_of_sites, noting_sites
from tensordbg.analysis.warnings.find import find_warnings


def why(trace: TraceSource) -> WhyResult:
    """Find every origin of a trace, those that matter first, then in the order of the program.

    Args:
        trace: A `TraceReader`, or whatever else hands out its tables.
    """
    return why_of_run({"": trace})


def why_of_run(processes: Mapping[str, TraceSource]) -> WhyResult:
    """Find every origin in the processes of a run, given by name; in a large one some stand for others."""
    chosen = choose(processes)
    result = join({name: study(processes[name]) for name in chosen.stands_for}, chosen.stands_for)
    return compared(result, processes, chosen)


def study(trace: TraceSource) -> Study:
    """The findings on one process by itself; see `processes/joined.py`."""
    bad, nan = read_bad(trace)
    program = read_program(trace)
    # What a batch was as the pipeline gave it is noted beside its names, and is no part of the program.
    noted = events_of_sites(trace, noting_sites(program)[1])
    bad[noted], nan[noted] = False, False
    executions = read_executions(trace, program)
    details = Details(trace, program)
    failure = find_failure(trace, program, executions, details)
    result = WhyResult(
        tensor_events=len(bad),
        non_finite_events=int(bad.sum()),
        steps=int(executions.step.max(initial=-1)) + 1,
        measured=_measured(trace),
        notes=trace_notes(trace),
        alerts=find_alerts(trace, program, executions),
        failures=() if failure is None else (failure,),
    )
    if not bad.any():
        return Study(replace(result, warnings=find_warnings(trace, program, ())), no_transfers(), np.empty(0, np.int64))
    values = locate_values(program, read_events(trace, executions, bad, nan), executions)
    dropped = fusion_notes(program, values.events) if trace.facts.onednn else ()
    result = replace(result, notes=(*result.notes, *dropped))
    found = find_origins(values, details)
    troubles = sorted(report_origins(found, details, trace.facts.optimizers), key=_place)
    origins = with_elements(trace, program, [trouble.origin for trouble in troubles])
    notes = (*result.notes, *fused_notes(values, origins), *unseen_notes(values, origins))
    result = replace(result, origins=origins, notes=notes, warnings=find_warnings(trace, program, origins))
    events = np.array([origin.view.event for origin in origins], dtype=np.int64)
    return Study(result, find_transfers(found, [each.nodes for each in troubles], details), details.times(events))


def _place(trouble: Trouble) -> tuple[bool, bool, bool]:
    """By what findings are sorted: those that matter first, behind them what was likely made of others.

    What ruined a model comes before what only reached a number that is reported.
    """
    origin = trouble.origin
    return not origin.consequential, origin.cause == "returned_from_python", not trouble.trains


def _measured(trace: TraceSource) -> bool:
    columns = (table.column("first_bad") for _, table in tensor_pieces(trace, ["first_bad"]))
    return trace.count("tensors") == 0 or any(column.null_count < len(column) for column in columns)
