"""Messages on a bad step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tensordbg.capture.header import Suspect, Trouble
from tensordbg.capture.tensors import Array
from tensordbg.health.measured import Measured
from tensordbg.trapping.capture import BadStep, TrappedFunction
from tensordbg.trapping.plan import MARK
from tensordbg.trapping.rules import ASKED, GRADIENT_NORM, LOSS_JUMP, PREDICATE, RAISED
from tensordbg.trapping.targets import GRADIENT, LOSS, RATE, REDUCED, RESULT, VARIABLE, TrapTarget


def message_of(trapped: TrappedFunction, bad: BadStep, captured: str) -> str:
    """One line: which step, what is bad in it, and where the capture is."""
    place = ", ".join(f"{name} {number}" for name, number in bad.reached.items())
    at = f" ({place})" if place else ""
    return step_words(f"{trapped.function.name}{at}", bad.step, trapped.tested, bad.trouble, captured)


def step_words(name: str, number: int, tested: Sequence[TrapTarget], trouble: Trouble, captured: str) -> str:
    """One line of a step with this name and number, of which this was tested."""
    said = [*_non_finite(tested, trouble), *_broken_rule(trouble)]
    return f"{MARK}: step {number} of {name}: {_joined(said)}; {captured}"


def message_of_lost(trapped: TrappedFunction, found: BadStep, step: int, captured: str) -> str:
    """The message where a variable went bad in one of the last steps, though loss and gradients were good."""
    first = found.trouble.suspects[0]
    count = len(found.trouble.suspects)
    return (
        f"{MARK}: steps {found.step} to {step - 1} of {trapped.function.name}: {count} variables have become not "
        f"finite, such as {first.variable} ({_counts(first)}), with the loss and all gradients finite; {captured}"
    )


def _broken_rule(trouble: Trouble) -> Iterator[str]:
    loss, norm, score = (trouble.numbers.get(name, math.nan) for name in ("loss", "gradient_norm", "loss_score"))
    if trouble.kind == LOSS_JUMP:
        yield f"the loss jumped to {loss:.4g}, {score:.1f} deviations above the median of the last ones"
    elif trouble.kind == GRADIENT_NORM:
        yield f"the gradients have the norm {norm:.4g}, more than the limit"
    elif trouble.kind == PREDICATE:
        yield f"the predicate says so (loss {loss:.4g}, norm of the gradients {norm:.4g})"
    elif trouble.kind == RAISED:
        yield "it was asked for, and did not return"
    elif trouble.kind == ASKED and not trouble.numbers:
        yield "it was asked for"
    elif trouble.kind == ASKED:
        yield f"it was asked for (loss {loss:.4g}, norm of the gradients {norm:.4g})"


def _non_finite(tested: Sequence[TrapTarget], trouble: Trouble) -> list[str]:
    losses = [each for each in trouble.suspects if each.role == LOSS]
    gradients = [each for each in trouble.suspects if each.role == GRADIENT]
    said = [f"the loss is not finite ({_counts(losses[0])})"] if losses else []
    if gradients:
        total = sum(each.role == GRADIENT for each in tested)
        first = gradients[0]
        of = f"that of {first.variable}" if first.variable else first.name
        said.append(f"{len(gradients)} of {total} gradients are not finite, such as {of} ({_counts(first)})")
    rates = [each for each in trouble.suspects if each.role == RATE]
    said += [f"the learning rate is not finite ({_counts(rates[0])})"] if rates else []
    reduced = [each for each in trouble.suspects if each.role == REDUCED]
    if reduced and not said:
        first = reduced[0]
        said.append(f"what other processes gave to the gradients is not finite ({_counts(first)} in {first.name})")
    variables = [each for each in trouble.suspects if each.role == VARIABLE]
    if variables:
        first = variables[0]
        said.append(
            f"{len(variables)} variables are not finite at its end, such as {first.variable} ({_counts(first)})"
        )
    results = [each for each in trouble.suspects if each.role == RESULT]
    if results:
        said.append(f"{len(results)} of its results are not finite, such as {results[0].name} ({_counts(results[0])})")
    return said


def batch_words(arrays: Sequence[Array | None], origins: Sequence[str]) -> str:
    """Where the batch came from: the row that was bad when it came in, or else the first rows; empty if not known.

    Args:
        arrays: What the step was given.
        origins: Where each row of it came from.
    """
    for array in arrays:
        if array is None or array.ndim == 0 or array.shape[0] != len(origins):
            continue
        index = Measured(array).bad_index
        if index is not None and origins[index[0]]:
            return f"; row {index[0]} of its batch, which is not finite, came from {origins[index[0]]}"
    known = [origin for origin in origins if origin]
    more = f" and {len(known) - 2} more" if len(known) > 2 else ""
    return f"; its batch came from {', '.join(known[:2])}{more}" if known else ""


def _joined(said: Sequence[str]) -> str:
    return " and ".join(said)


def _counts(suspect: Suspect) -> str:
    return ", ".join(f"{count} {name}" for name, count in suspect.counts.items())
