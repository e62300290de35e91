"""Why the numbers of a program went wrong: from a trace to the origins, with cause, course and suggested mend."""

from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.alerts.table import find_alerts
from tensordbg.analysis.details import Details
from tensordbg.analysis.events import read_bad, read_events, read_executions
from tensordbg.analysis.finding import WhyResult
from tensordbg.analysis.notes import trace_notes
from tensordbg.analysis.origins import find_origins
from tensordbg.analysis.program import read_program
from tensordbg.analysis.reading import TraceSource, tensor_pieces
from tensordbg.analysis.reporter import report_origins
from tensordbg.analysis.values import locate_values
from tensordbg.analysis.warnings.find import find_warnings


def why(trace: TraceSource) -> WhyResult:
    """Find every origin of a trace, those that matter first, then in the order of the program.

    Args:
        trace: A `TraceReader`, or whatever else hands out its tables.
    """
    bad, nan = read_bad(trace)
    program = read_program(trace)
    executions = read_executions(trace, program)
    result = WhyResult(
        tensor_events=len(bad),
        non_finite_events=int(bad.sum()),
        steps=int(executions.step.max(initial=-1)) + 1,
        measured=_measured(trace),
        notes=trace_notes(trace),
        alerts=find_alerts(trace, program, executions),
    )
    if not bad.any():
        return replace(result, warnings=find_warnings(trace, program, ()))
    values = locate_values(program, read_events(trace, executions, bad, nan), executions)
    details = Details(trace, program)
    reported = report_origins(find_origins(values, details), details)
    origins = tuple(sorted(reported, key=lambda origin: not origin.consequential))
    return replace(result, origins=origins, warnings=find_warnings(trace, program, origins))


def _measured(trace: TraceSource) -> bool:
    columns = (table.column("first_bad") for _, table in tensor_pieces(trace, ["first_bad"]))
    return trace.count("tensors") == 0 or any(column.null_count < len(column) for column in columns)
