"""All kinds of alerts."""

from __future__ import annotations

from tensordbg.analysis.alerts.placement import placement_alerts
from tensordbg.analysis.alerts.retracing import retracing_alerts
from tensordbg.analysis.columns.reading import TraceSource
from tensordbg.analysis.finding import Alert
from tensordbg.analysis.graphs.functions import traced_functions
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import Executions


def find_alerts(trace: TraceSource, program: Program, executions: Executions) -> tuple[Alert, ...]:
    """Every alert of a trace, those on functions first."""
    return (*retracing_alerts(traced_functions(program, executions)), *placement_alerts(trace, program))
