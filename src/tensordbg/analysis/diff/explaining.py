"""Says of a place at which two runs part what kind of difference it is, and what would make them agree."""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.analysis.diff.attributes import attribute_differences
from tensordbg.analysis.diff.beginnings import Unlike, unlike, unlike_inputs
from tensordbg.analysis.diff.first_difference import Apart, Pair, distance_of
from tensordbg.analysis.diff.result import AttributeDifference


@dataclass(frozen=True)
class Explained:
    """The words on a pair; the rows are those of the values that are shown."""

    kind: str
    row_a: int
    row_b: int
    error: float
    added: bool | None
    difference: tuple[AttributeDifference, ...]
    explanation: str
    suggestion: str


_SUGGESTIONS = {
    "parameter": "load the values of A into B, transposed where the table of parameters says so",
    "input": "feed both runs the same batch: compare what prepares it, its normalisation and the order of its rows",
    "random": "switch the randomness off in both runs (evaluation mode), or give both the same seed",
    "update": "compare the settings of the two optimizers: learning rate, momentum, weight decay, epsilon, clipping",
}


def explain(a: Apart, b: Apart, pair: Pair) -> Explained:
    """Tells what a pair means.

    What went in and is not the same comes before what the operation itself computes: a parameter before an input.
    """
    if a.side.updates[pair.a] and b.side.updates[pair.b]:
        return _of_rows(a, b, pair, "update", _update_text(b, pair), _SUGGESTIONS["update"])
    chance = _chance(a, b, pair)
    if pair.extra_a or pair.extra_b:
        return _missing(a, b, pair, chance)
    unlike_a, unlike_b = unlike_inputs(a, pair.a), unlike_inputs(b, pair.b)
    if not (a.taken(pair.a) or b.taken(pair.b) or unlike_a or unlike_b):
        return _begun(b, pair)
    read = _of_kind(unlike_a, "parameter"), _of_kind(unlike_b, "parameter")
    if any(read) and b.side.numbers.step[pair.b] > b.side.numbers.step.min():
        rows = tuple(found[0].row if found else row for found, row in zip(read, (pair.a, pair.b), strict=True))
        return _updated(a, b, pair, (rows[0], rows[1]))
    for kind in ("parameter", "random", "input"):
        mine, theirs = _of_kind(unlike_a, kind), _of_kind(unlike_b, kind)
        if mine and theirs:
            return _given(a, b, pair, kind, (mine[0].row, theirs[0].row))
    return _value(a, b, pair)


def _missing(a: Apart, b: Apart, pair: Pair, chance: str) -> Explained:
    run, mine, extra = ("A", a, pair.extra_a) if pair.extra_a else ("B", b, pair.extra_b)
    other = "B" if run == "A" else "A"
    names = ", ".join(dict.fromkeys(mine.side.site(row).op_type for row in extra))
    if chance:
        text = f"only {run} computes {names}, of random numbers ({chance}); {other} goes on without"
        return _of_rows(a, b, pair, "random", text, _SUGGESTIONS["random"])
    text = f"{run} computes {names} of values that both runs have, before {_next(a, b, pair, run)}; {other} does not"
    return _of_rows(a, b, pair, "missing", text, f"compute the same in {other}, or leave it out in {run}")


def _next(a: Apart, b: Apart, pair: Pair, run: str) -> str:
    side, row = (a.side, pair.a) if run == "A" else (b.side, pair.b)
    extra = pair.extra_a if run == "A" else pair.extra_b
    if row in extra:
        side, row = (b.side, pair.b) if run == "A" else (a.side, pair.a)
    return side.site(row).op_type


def _chance(a: Apart, b: Apart, pair: Pair) -> str:
    """The operation that draws the random numbers of what one run computes alone; empty where none does."""
    for mine, rows in ((a, pair.extra_a), (b, pair.extra_b)):
        for row in rows:
            for each in unlike_inputs(mine, row):
                if each.drawn_by:
                    return each.drawn_by
    return ""


def _of_kind(found: list[Unlike], kind: str) -> list[Unlike]:
    return [each for each in found if each.kind == kind]


def _given(a: Apart, b: Apart, pair: Pair, kind: str, rows: tuple[int, int]) -> Explained:
    what = {"parameter": "a parameter", "input": "an input", "random": "random numbers"}[kind]
    names = a.side.site(pair.a).op_type, b.side.site(pair.b).op_type
    text = f"{names[1]} of B is given {what} that is not that of {names[0]} in A; all else that goes in agrees"
    return Explained(kind, *rows, distance_of(a, b, *rows), False, (), text, _SUGGESTIONS[kind])


def _begun(b: Apart, pair: Pair) -> Explained:
    """A value that is made of no other, where the runs begin with nothing in common."""
    kind = unlike(b, pair.b).kind
    text = f"the runs begin with unlike values: this is the first {kind} that goes into a product"
    return Explained(kind, pair.a, pair.b, pair.distance, False, (), text, _SUGGESTIONS[kind])


def _updated(a: Apart, b: Apart, pair: Pair, rows: tuple[int, int]) -> Explained:
    step = int(b.side.numbers.step[pair.b])
    text = (
        f"up to step {step} all agrees but what the optimizers have made of the parameters: those differ in step {step}"
    )
    return Explained("update", *rows, distance_of(a, b, *rows), True, (), text, _SUGGESTIONS["update"])


def _value(a: Apart, b: Apart, pair: Pair) -> Explained:
    types = a.side.site(pair.a).op_type, b.side.site(pair.b).op_type
    agrees = not a.unknown_parents(pair.a) or not b.unknown_parents(pair.b)
    difference = attribute_differences(a, b, pair)
    told = "; ".join(f"{each.attribute} is {each.a} in A and {each.b} in B" for each in difference)
    if difference:
        wanted = ", ".join(f"{each.attribute} to {each.a}" for each in difference)
        text, suggestion = f"from equal inputs, with unlike attributes: {told}", f"set {wanted} in B"
    elif a.side.kinds[pair.a] != b.side.kinds[pair.b]:
        text = f"from equal inputs A computes {types[0]} and B {types[1]}, which give other values"
        suggestion = "compare the two lines: another operation, or another formula for the same"
    else:
        text = f"{types[1]} of B gives other values than {types[0]} of A, from equal inputs"
        suggestion = "compare the arguments of the two lines: an epsilon, an axis, a mask, a scale, an approximation"
    return Explained("value", pair.a, pair.b, pair.distance, agrees, difference, text, suggestion)


def _update_text(b: Apart, pair: Pair) -> str:
    step = int(b.side.numbers.step[pair.b])
    return f"the gradients of step {step} agree, and what the optimizers make of them does not"


def _of_rows(a: Apart, b: Apart, pair: Pair, kind: str, text: str, suggestion: str) -> Explained:
    return Explained(kind, pair.a, pair.b, pair.distance, True, attribute_differences(a, b, pair), text, suggestion)
