"""Says of two runs that one went farther than the other, so that what is behind its end is compared with nothing."""

from __future__ import annotations

from tensordbg.analysis.diff.side import Side
from tensordbg.trace.program.facts import TraceFacts


def notes_on_lengths(a: Side, b: Side) -> tuple[str, ...]:
    """Tells how many steps each run has, where one has more.

    Without a training, calls of functions are steps in TensorFlow, and nothing is in PyTorch: all of it is compared.
    """
    trains = bool(a.updates.any() and b.updates.any())
    if a.frameworks != b.frameworks and not any(bool((each.updates | each.backward).any()) for each in (a, b)):
        return ()
    last_a, last_b = (_count(side, trains) for side in (a, b))
    if last_a == last_b or min(last_a, last_b) == 0:
        return ()
    return (f"A goes on for {_steps(last_a)} and B for {_steps(last_b)}: compared is what both have",)


def notes_on_ends(a: TraceFacts, b: TraceFacts) -> tuple[str, ...]:
    """Tells the error that ended a run."""
    ends = ((name, error_at_end(facts)) for name, facts in (("A", a), ("B", b)))
    return tuple(f"{name} ended with {error}: compared is what it computed before" for name, error in ends if error)


def error_at_end(facts: TraceFacts) -> str:
    """The first line of the error that ended a run; empty where none did, or it is not known."""
    return facts.end.exception.splitlines()[0] if facts.end is not None and facts.end.exception else ""


def _count(side: Side, trains: bool) -> int:
    """The number of steps, of a training without what the program computes behind the last one."""
    steps = side.numbers.step[side.updates] if trains else side.numbers.step
    return int(steps.max(initial=-1)) + 1


def _steps(count: int) -> str:
    return f"{count} step" if count == 1 else f"{count} steps"
