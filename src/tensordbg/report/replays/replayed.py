"""Texts of `tdbg replay` on how a step came out again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensordbg.advice.lookup import fix
from tensordbg.capture.header import Header
from tensordbg.capture.outcome import Outcome
from tensordbg.capture.replayed import Replayed
from tensordbg.enumeration import first_few
from tensordbg.operations.frameworks import TITLES
from tensordbg.report.numbers import amount, count

_SAID = {
    Outcome.SAME: "the step went wrong again, the same bit for bit",
    Outcome.ALIKE: "the step went wrong again in the same tensors and kinds, with other bits",
    Outcome.OTHER: "the step went wrong again, but in other tensors or kinds",
    Outcome.RAISED: "the step raised again",
    Outcome.CLEAN: "the step came out clean",
}
_SAID_OF_A_GOOD_STEP = {
    Outcome.SAME: "the step came out the same, bit for bit",
    Outcome.ALIKE: "the step came out much the same, with other bits",
    Outcome.OTHER: "the step was good when it was captured, and went wrong now",
    Outcome.CLEAN: "the step came out otherwise than when it was captured, all finite",
}
"""Of one that was captured because it was asked for."""

_MANY = 100
"""So many replays should have met what is not rare."""


def verdict_lines(replayed: Replayed, header: Header) -> Iterator[str]:
    """One sentence for each way in which it came out, then what that points to."""
    outcomes = [run.outcome for run in replayed.runs]
    for outcome in dict.fromkeys(outcomes):
        several = f" in {count(outcomes.count(outcome))} of {amount(len(outcomes), 'replay')}"
        often = several if len(outcomes) > 1 else ""
        yield f"replayed {replayed.capture}: {outcome_words(outcome, header)}{often}"
    yield from replayed.notes
    if Outcome.CLEAN in outcomes or len(_different(replayed)) > 1:
        yield from _what_it_points_to(replayed, header)


def outcome_words(outcome: Outcome, header: Header) -> str:
    """How a captured step came out again, in one sentence."""
    return (_SAID_OF_A_GOOD_STEP if header.trouble.kind == "asked" else _SAID)[outcome]


def _fix(header: Header, known: str) -> str:
    return fix(next(iter(TITLES.keys() & header.frameworks.keys()), ""), "replay", known)


def _different(replayed: Replayed) -> set[object]:
    return {run.digests for run in replayed.runs}


def _what_it_points_to(replayed: Replayed, header: Header) -> Iterator[str]:
    times, different = len(replayed.runs), len(_different(replayed))
    if replayed.random:
        advice = "take more --times" if times < _MANY else "it may be a rare draw"
        yield (
            f"the step draws random numbers whose state is not captured ({_listed(replayed.random)}), so each replay "
            f"draws others; {advice}, or {_fix(header, 'random')}"
        )
    elif different > 1:
        yield (
            f"the same step came out in {different} ways from the same state, though it draws nothing random: a race, "
            "such as sums that are added up in no fixed order, or a fault of the hardware here; "
            f"{_fix(header, 'race')}"
        )
    elif replayed.uncompiled:
        yield (
            "it ran its operations one by one, whose last bits are not those of compiled code, and those may be what "
            "made it bad: `tdbg run --check` looks at the step within its program"
        )
    elif times == 1:
        yield "nothing in the step is random: replay it with --times 10 to tell whether it always comes out clean"
    else:
        yield (
            f"it came out the same all {count(times)} times, and nothing in it is random: what made it bad on "
            f"{header.host} is not in the capture: a race, such as another thread that wrote to a variable or to the "
            "batch's memory, or a fault of that machine's hardware; "
            f"replay it there with --times {max(_MANY, 10 * times)}"
        )


def _listed(names: Sequence[str]) -> str:
    return first_few(names, 5)
