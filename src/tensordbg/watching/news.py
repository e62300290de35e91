"""News of a run: each finding, warning, alert or error, with a key by which it is told once."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from tensordbg.analysis.failures.lead import failure_lead
from tensordbg.analysis.finding import NumericalWarning, SourceLine, WhyResult
from tensordbg.report.findings.origin_text import headline

FINDING, WARNING, ALERT, FAILURE = "finding", "warning", "alert", "failure"


@dataclass(frozen=True)
class News:
    """One thing to tell."""

    kind: str
    """`finding` (what is not finite and matters), `warning`, `alert` or `failure` (an error that ended the program)."""
    name: str
    """Such as `log_of_zero`, `dead_units`, `retracing`, `InvalidArgumentError`."""
    headline: str
    """In a sentence."""
    place: str
    """The line of the user's own code, `train.py:31`; empty where there is none."""
    explanation: str
    suggestion: str
    process: str
    about: str
    """The tensor or variable."""

    @property
    def key(self) -> Hashable:
        """Equal for what is the same in a later look."""
        return self.kind, self.name, self.place or self.about, self.process


def news_of(result: WhyResult) -> Iterator[News]:
    """All that one is told of, the gravest first; what is harmless is not."""
    for origin in result.origins:
        if origin.consequential:
            told = (headline(origin).plain, _place(origin.place), origin.explanation, origin.suggestion)
            yield News(FINDING, origin.cause, *told, origin.process, origin.view.tensor)
    for failure in result.failures:
        lead = failure_lead(failure)
        yield News(FAILURE, failure.error, lead, _place(failure.source), "", "", failure.process, failure.op_name)
    for alert in result.alerts:
        told = (alert.explanation, _place(alert.source), alert.explanation, alert.suggestion)
        yield News(ALERT, alert.kind, *told, alert.process, alert.tensor or alert.function)
    for warning in result.warnings:
        about = warning.variable or warning.view.tensor
        told = (_sentence(warning, about), _place(warning.source), warning.explanation, warning.suggestion)
        yield News(WARNING, warning.kind, *told, warning.process, about)


def _sentence(warning: NumericalWarning, about: str) -> str:
    """What is noticed, of what; kind and line are told beside it."""
    said = warning.explanation.rstrip(".")
    return said if about in said else f"{about}: {said}"


def _place(line: SourceLine | None) -> str:
    return "" if line is None else line.place
