"""A few words for each finding, by which it is told from the others in a list."""

from __future__ import annotations

from tensordbg.analysis.failures.lead import failure_name
from tensordbg.analysis.finding import Alert, NumericalWarning, Origin, ProgramFailure
from tensordbg.model import Health

_VERBS = {
    "bad_before_step": "already held",
    "bad_input_data": "came in with",
    "bad_variable": "held",
    "between_recorded_tensors": "was first seen with",
    "from_another_process": "received",
    "non_finite_constant": "holds",
    "returned_from_python": "came back with",
    "source_not_seen": "handed on",
}
"""What operations did that did not make what they put out, by the cause."""


def origin_title(origin: Origin) -> str:
    """`Log made 12 × -inf`."""
    verb = _VERBS.get(origin.cause, "made")
    name = origin.view.op_type if verb == "made" else origin.view.op_name
    return f"{name} {verb} {_bad_elements(origin.view.health)}"


def failure_title(failure: ProgramFailure) -> str:
    """`InvalidArgumentError in GatherV2`."""
    return failure_name(failure)


def warning_title(warning: NumericalWarning) -> str:
    """`Dead units: dense/Relu:0`."""
    return f"{_words(warning.kind)}: {warning.variable or warning.view.tensor}"


def alert_title(alert: Alert) -> str:
    """`Retracing: train_step`."""
    return f"{_words(alert.kind)}: {alert.tensor or alert.function}"


def why_harmless(origin: Origin) -> str:
    """Says what kept an origin from doing harm; empty where it did harm."""
    if origin.consequential:
        return ""
    if origin.allowed:
        return f"allowed, by the rule {origin.allowed}"
    return origin.caught or "it died out: it reached no loss, gradient, variable or result"


def _words(kind: str) -> str:
    return kind.replace("_", " ").capitalize()


def _bad_elements(health: Health | None) -> str:
    if health is None or not health.non_finite:
        return "something that is not finite"
    kinds = [(health.nan, "NaN"), (health.neg_inf, "-inf"), (health.pos_inf, "+inf")]
    if health.size == 1:
        return next(name for number, name in kinds if number)
    return " and ".join(f"{number:,} × {name}" for number, name in kinds if number)
