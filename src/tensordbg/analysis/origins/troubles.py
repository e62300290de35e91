"""One trouble, one entry: findings that have the same thing to fix are told as one.

Overflows of the same numbers, which one operation or one divergence made so large, are one, and the first is told.
A forward operation and its gradient at the same bad number are one, and the forward operation is told; unless its own
bad value was dropped, as by a `where`, and only the gradient did harm. Then the gradient is told, with the line of the
forward operation. So are the findings of one cause in one line: a line that is run in a loop or called from
several places, a function that was traced again, a graph that is run for several fetches, the replicas of a strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tensordbg.analysis.causes.overflow import DIVERGES, OVERFLOWS
from tensordbg.analysis.finding import Decided, EndedLoop, ForwardOperation, Origin, RelatedOperation
from tensordbg.analysis.origins.jumps import VARIABLE
from tensordbg.model import NONE
from tensordbg.operations.lookup import PARAMETER

REACHES = ("loss", "gradient", "variable", "output", "loop", "branch", "choice", "index", "comparison", "zeros")
"""The order in which it is said what an origin came to."""

_HARM, _NO_HARM = (True, "", ""), (False, "", "")
"""Whether findings reached anything, what caught them, and by which rule they are allowed: see `_harm_of`."""


@dataclass(frozen=True)
class Trouble:
    """One entry."""

    origin: Origin
    nodes: tuple[int, ...]
    """The origins that it stands for, as nodes of the graph: the one that is told, and those that are told with it."""
    trains: bool = False
    """Whether it came to what is differentiated, to a gradient, or to a variable that is trained."""
    layer: str = ""
    """The layer that it belongs to, where the line is one that runs a whole model."""
    grown: frozenset[tuple[str, int]] = frozenset()
    """Of an overflow: by what others of the same numbers are known, see `jumps.py`."""


def join_gradients(
    troubles: Sequence[Trouble], forward_of: Mapping[int, int], was_dropped: Callable[[int], bool]
) -> list[Trouble]:
    """Tell each gradient with its forward operation.

    Args:
        troubles: One for each origin.
        forward_of: For the position of a gradient that of its forward operation.
        was_dropped: Whether what was made from a node ended at an operation that made finite values of it.
    """
    left: dict[int, Trouble] = dict(enumerate(troubles))
    for backward, first in forward_of.items():
        if first not in left or troubles[backward].origin.allowed != troubles[first].origin.allowed:
            continue
        gradient, forward = left[backward], left[first]
        matters = gradient.origin.consequential and not forward.origin.consequential
        if matters and was_dropped(forward.nodes[0]):
            left[backward] = _joined(gradient, [forward], "forward")
            del left[first]
        else:
            told = _joined(forward, [gradient], "gradient")
            caught = gradient.origin.caught if not forward.origin.reaches else forward.origin.caught
            occurrences = max(forward.origin.occurrences, gradient.origin.occurrences)
            left[first] = replace(told, origin=replace(told.origin, caught=caught, occurrences=occurrences))
            del left[backward]
    return [left[k] for k in sorted(left)]


def join_grown(troubles: Sequence[Trouble]) -> list[Trouble]:
    """Tell overflows of numbers that had grown at one place, or in one divergence, with the first of them."""
    left: list[Trouble] = []
    for trouble in troubles:
        alike = (
            k for k, each in enumerate(left) if _grew_together(each, trouble) and _harm_of(each) == _harm_of(trouble)
        )
        first = next(alike, None)
        if first is None:
            left.append(trouble)
        else:
            joined = _joined(left[first], [trouble], "alike")
            left[first] = replace(joined, grown=left[first].grown | trouble.grown)
    return left


def _grew_together(first: Trouble, later: Trouble) -> bool:
    """Whether both overflow for one reason: of the same numbers, or the one forward, the other backward in one step.

    In a training that diverges, what is computed and its gradient grow at once, each of other numbers.
    """
    both_diverge = _diverged(first) and _diverged(later) and first.origin.view.step == later.origin.view.step
    return bool(first.grown & later.grown) or (both_diverge and later.origin.gradient_of is not None)


def _diverged(trouble: Trouble) -> bool:
    """Whether numbers overflow that updates had made large: step by step, or one of them at once."""
    updated = trouble.origin.cause in OVERFLOWS and any(what == VARIABLE for what, _ in trouble.grown)
    return trouble.origin.cause == DIVERGES or updated


def join_lines(troubles: Sequence[Trouble]) -> list[Trouble]:
    """Tell the findings of one cause in one line as one, the first of them that did harm."""
    alike: dict[tuple[Any, Any], list[Trouble]] = {}
    for number, trouble in enumerate(troubles):
        alike.setdefault((_line_of(trouble) or number, _harm_of(trouble)), []).append(trouble)
    for (line, harm), members in list(alike.items()):
        if harm == _HARM:
            members += [replace(each, nodes=()) for each in alike.pop((line, _NO_HARM), ())]
    return [_counted(first, rest) if rest else first for first, *rest in alike.values()]


def _line_of(trouble: Trouble) -> Any:
    """By what findings are known as one; None where there is nothing to know them by."""
    origin, place = trouble.origin, trouble.origin.place
    if place is None and origin.view.op_type == PARAMETER:  # a replay gives all of them what they held
        return "", NONE, origin.cause, origin.view.op_type, trouble.layer
    if place is None:
        return None
    return place.file, place.line, origin.cause, origin.view.op_type, trouble.layer


def _harm_of(trouble: Trouble) -> tuple[bool, str, str]:
    origin = trouble.origin
    return bool(origin.reaches), origin.caught, origin.allowed


def _counted(first: Trouble, rest: Sequence[Trouble]) -> Trouble:
    joined = _joined(first, rest, "alike")
    occurrences = sum(each.origin.occurrences for each in (first, *rest))
    devices = dict.fromkeys(
        name for each in (first, *rest) for name in each.origin.devices or (each.origin.view.device,)
    )
    several = tuple(devices) if len(devices) > 1 else ()
    return replace(joined, origin=replace(joined.origin, occurrences=occurrences, devices=several))


def _joined(told: Trouble, others: Sequence[Trouble], relation: str) -> Trouble:
    members = (told, *others)
    reaches = {name for each in members for name in each.origin.reaches}
    also = [*told.origin.also]
    for each in others:
        also += [RelatedOperation(each.origin.view.tensor, each.origin.source, relation), *each.origin.also]
    distinct = {(each.tensor, each.relation, _place(each)): each for each in also}
    own = told.origin.view.tensor
    ended = {(each.tensor, _place(each)): each for trouble in reversed(members) for each in trouble.origin.ended}
    decided = {
        (each.what, each.tensor, _place(each), each.branch): each
        for trouble in reversed(members)
        for each in trouble.origin.decided
    }
    origin = replace(
        told.origin,
        reaches=tuple(name for name in REACHES if name in reaches),
        ended=tuple(sorted(ended.values(), key=_moment)),
        decided=tuple(sorted(decided.values(), key=_moment)),
        also=tuple(each for each in distinct.values() if (each.tensor, each.relation) != (own, "alike")),
    )
    nodes = tuple(node for each in members for node in each.nodes)
    return replace(told, origin=origin, nodes=nodes, trains=any(each.trains for each in members))


def _place(related: RelatedOperation | ForwardOperation | EndedLoop | Decided) -> Any:
    return related.source and (related.source.file, related.source.line)


def _moment(outcome: EndedLoop | Decided) -> tuple[int, int]:
    return outcome.step, NONE if outcome.iteration is None else outcome.iteration
