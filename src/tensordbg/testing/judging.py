"""Which findings fail a test: those that matter in a program, and NaN that nothing looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tensordbg.analysis.finding import NOTHING_READ_IT, Origin, WhyResult

if TYPE_CHECKING:
    from tensordbg.trace.reader import TraceReader


def offences(result: WhyResult) -> tuple[Origin, ...]:
    """The origins that fail a test.

    A test often computes something and looks at its shape alone, so a NaN counts here though nothing read it; an
    infinity that died out, such as that of a mask, does not.
    """
    return tuple(origin for origin in result.origins if origin.consequential or _is_unread_nan(origin))


def _is_unread_nan(origin: Origin) -> bool:
    if origin.allowed or origin.caught != NOTHING_READ_IT:
        return False
    return any(view.health is not None and view.health.nan > 0 for view in (origin.view, *origin.spread))


def complaint(processes: Mapping[str, TraceReader]) -> str:
    """The report of what fails a test in a recording; empty where nothing does."""
    from tensordbg.analysis.why import why_of_run

    result = why_of_run(processes)
    wrong = offences(result)
    if not wrong:
        return ""
    from tensordbg.report.findings.why_text import render_origins

    unread = not any(origin.consequential for origin in wrong)
    note = "\nNothing read it, but a NaN fails a test all the same.\n" if unread else ""
    return render_origins(wrong) + note
