"""The debugger for the numbers of machine-learning programs: record a program, ask where and why it went wrong.

    import tensordbg

    with tensordbg.record("runs/a"):
        train()

    trace = tensordbg.open("runs/a")
    print(trace.why().origins)

Importing this package imports no framework and no heavy library: each public name is looked up when it is first used.

PYTEST_DONT_REWRITE: pytest warns of plugins that are imported before it, as `tdbg run -m pytest` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensordbg.lazy import lazy_names

if TYPE_CHECKING:
    from tensordbg.api import Run, Trace, assert_same, diff, open, open_run, why  # noqa: A004
    from tensordbg.attaching.attach import attach
    from tensordbg.debug.own_filters import add_filter
    from tensordbg.errors import RecordingError, TensordbgError, TraceError, UsageError
    from tensordbg.ipython import load_ipython_extension
    from tensordbg.notebook import show
    from tensordbg.recording.session import record
    from tensordbg.recording.value_filter import ValueFilter
    from tensordbg.testing.finite import assert_finite
    from tensordbg.trapping.session import Trap, trap

__version__ = "0.1.0"

__all__ = [
    "RecordingError",
    "Run",
    "TensordbgError",
    "Trace",
    "TraceError",
    "Trap",
    "UsageError",
    "ValueFilter",
    "__version__",
    "add_filter",
    "assert_finite",
    "assert_same",
    "attach",
    "diff",
    "load_ipython_extension",
    "open",
    "open_run",
    "record",
    "show",
    "trap",
    "why",
]

_HOMES = {
    "RecordingError": "tensordbg.errors",
    "Run": "tensordbg.api",
    "TensordbgError": "tensordbg.errors",
    "Trace": "tensordbg.api",
    "TraceError": "tensordbg.errors",
    "Trap": "tensordbg.trapping.session",
    "UsageError": "tensordbg.errors",
    "ValueFilter": "tensordbg.recording.value_filter",
    "add_filter": "tensordbg.debug.own_filters",
    "assert_finite": "tensordbg.testing.finite",
    "assert_same": "tensordbg.api",
    "attach": "tensordbg.attaching.attach",
    "diff": "tensordbg.api",
    "load_ipython_extension": "tensordbg.ipython",
    "open": "tensordbg.api",
    "open_run": "tensordbg.api",
    "record": "tensordbg.recording.session",
    "show": "tensordbg.notebook",
    "trap": "tensordbg.trapping.session",
    "why": "tensordbg.api",
}
"""Where each public name is defined."""

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
