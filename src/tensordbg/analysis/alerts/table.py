"""All kinds of alerts."""

from __future__ import annotations

from tensordbg.analysis.alerts.placement import placement_alerts
from tensordbg.analysis.alerts.retracing import retracing_alerts
from tensordbg.analysis.alerts.splitting import splitting_alerts
from tensordbg.analysis.columns.reading import TraceSource
from tensordbg.analysis.finding import Alert
from tensordbg.analysis.graphs.functions import traced_functions
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import Executions


def find_alerts(trace: TraceSource, program: Program, executions: Executions) -> tuple[Alert, ...]:
    """Every alert of a trace, those on functions first."""
    functions = traced_functions(program, executions)
    return (*retracing_alerts(functions), *splitting_alerts(functions), *placement_alerts(trace, program))
