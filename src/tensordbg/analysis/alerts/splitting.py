"""Functions that a compiler splits: where each of their calls leaves compiled code, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tensordbg.advice.lookup import fix
from tensordbg.analysis.finding import Alert, SourceLine
from tensordbg.analysis.graphs.functions import TracedFunction

MOST_CALLS = 5
"""A function may be split in so many calls before it is an alert."""

_MEANT = ("_dynamo.graph_break()", "compiler.disable")
"""Parts of the reasons of splits that the program asks for."""
_KNOWN = (
    (".item()", "item"),
    ("branching", "decision"),
    ("builtin", "call"),
    ("skipped", "call"),
    ("Logger", "call"),
    ("ynamic shape", "size"),
)
"""Parts of reasons, each with what it comes from."""


@dataclass
class _Place:
    """A line at which a function is split."""

    source: SourceLine
    reason: str
    framework: str
    calls: int = 0


def splitting_alerts(functions: Sequence[TracedFunction]) -> Iterator[Alert]:
    """One alert for each line at which more than `MOST_CALLS` calls were split."""
    places: dict[tuple[str, int], _Place] = {}
    for function in functions:
        calls: Counter[tuple[str, int]] = Counter()
        for trace in function.traces:
            for split in trace.splits:
                key = (split.place.file, split.place.line)
                places.setdefault(key, _Place(split.place, split.reason, function.framework))
                calls[key] += trace.calls
        # What splits a function is compiled by itself, and is split at the same line then.
        for key, count in calls.items():
            places[key].calls = max(places[key].calls, count)
    for place in places.values():
        if place.calls > MOST_CALLS and not any(text in place.reason for text in _MEANT):
            yield _alert(place)


def _alert(place: _Place) -> Alert:
    name = place.source.function
    known = next((known for text, known in _KNOWN if text in place.reason), "")
    return Alert(
        kind="splitting",
        function=name,
        tensor="",
        source=place.source,
        explanation=(
            f"the compiled code of {name} is split here: each of {place.calls} calls left it and went on in another "
            f"graph ({place.reason})"
        ),
        suggestion=fix(place.framework, "splitting", known),
        evidence={"calls": place.calls, "reason": place.reason},
    )
