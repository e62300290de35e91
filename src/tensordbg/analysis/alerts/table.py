"""All kinds of alerts."""

from __future__ import annotations

from tensordbg.analysis.alerts.alert import Alert
from tensordbg.analysis.alerts.placement import placement_alerts
from tensordbg.analysis.alerts.retracing import retracing_alerts
from tensordbg.analysis.events import Executions
from tensordbg.analysis.functions import traced_functions
from tensordbg.analysis.program import Program
from tensordbg.analysis.reading import TraceSource


def find_alerts(trace: TraceSource, program: Program, executions: Executions) -> tuple[Alert, ...]:
    """Every alert of a trace, those on functions first."""
    return (*retracing_alerts(traced_functions(program, executions)), *placement_alerts(trace, program))
