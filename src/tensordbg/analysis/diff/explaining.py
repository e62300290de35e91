"""Says of a place at which two runs part what kind of difference it is, and what would make them agree."""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.analysis.diff.attributes import attribute_differences
from tensordbg.analysis.diff.beginnings import Unlike, unlike, unlike_inputs
from tensordbg.analysis.diff.exchanged import are_given_others
from tensordbg.analysis.diff.first_difference import Apart, Pair, distance_of
from tensordbg.analysis.diff.normalizations import PLACE, unlike_normalizations
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.failures.beginnings.words import shape_text
from tensordbg.operations.kinds import Kind


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
    "unlike updates": "compare the settings of the two optimizers: learning rate, momentum, decay, clipping; and "
    "where they add the epsilon, as Keras's Adam does before it corrects the bias and its RMSprop below the root",
    "statistics": "compare the momentum of the two normalizations, which Keras takes as 1 less that of PyTorch, and "
    "the variance that they keep: PyTorch divides by a batch's number of values less 1",
}


def explain(a: Apart, b: Apart, pair: Pair) -> Explained:
    """Tells what a pair means.

    What went in and is not the same comes before what the operation itself computes: a parameter before an input.
    """
    if a.side.kept[pair.a] and b.side.kept[pair.b]:
        return _kept(a, b, pair)
    normalized = _normalized(a, b, pair)
    if normalized is not None:
        return normalized
    chance = _chance(a, b, pair)
    if pair.extra_a or pair.extra_b:
        return _missing(a, b, pair, chance)
    unlike_a, unlike_b = unlike_inputs(a, pair.a), unlike_inputs(b, pair.b)
    if not (a.taken(pair.a) or b.taken(pair.b) or unlike_a or unlike_b):
        return _begun(b, pair)
    read = _of_kind(unlike_a, "parameter"), _of_kind(unlike_b, "parameter")
    kept = _statistics(a, read[0]) or _statistics(b, read[1])
    if any(read) and (kept or b.side.numbers.step[pair.b] > b.side.numbers.step.min()):
        rows = tuple(found[0].row if found else row for found, row in zip(read, (pair.a, pair.b), strict=True))
        return _read_statistics(a, b, (rows[0], rows[1]), kept) if kept else _updated(a, b, pair, (rows[0], rows[1]))
    given = _given_unlike(a, b, pair, unlike_a, unlike_b) or _one_number_given(a, b, pair, read)
    if given is not None:
        return given
    if a.side.operation(pair.a).kind is Kind.READ is b.side.operation(pair.b).kind:
        return _held(a, b, pair)
    if _agreed_before(b, pair.b):
        return _updated(a, b, pair, (pair.a, pair.b))
    return _value(a, b, pair)


def _given_unlike(a: Apart, b: Apart, pair: Pair, unlike_a: list[Unlike], unlike_b: list[Unlike]) -> Explained | None:
    """What went into both and is not the same; a number that the program has written is an attribute."""
    for kind in ("parameter", "random", "input"):
        mine, theirs = _of_kind(unlike_a, kind), _of_kind(unlike_b, kind)
        if mine and theirs:
            rows = mine[0].row, theirs[0].row
            if kind == "input" and _is_number(a, rows[0]) and _is_number(b, rows[1]):
                return _value(a, b, pair)
            return _given(a, b, pair, kind, rows)
    return None


def _is_number(apart: Apart, row: int) -> bool:
    """Tells whether a value is a single number that the program has written: a setting, and no data."""
    return bool(apart.side.numbers.size[row] == 1) and apart.side.operation(row).kind is Kind.CONSTANT


def _agreed_before(b: Apart, row: int) -> bool:
    """Tells whether an operation of a training has made equal values in a step before: so it is the same operation."""
    numbers = b.side.numbers
    earlier = (numbers.site == numbers.site[row]) & (numbers.step < numbers.step[row]) & (b.label >= 0)
    return bool(earlier.any() and b.side.updates.any())


def _missing(a: Apart, b: Apart, pair: Pair, chance: str) -> Explained:
    run, mine, extra = ("A", a, pair.extra_a) if pair.extra_a else ("B", b, pair.extra_b)
    other = "B" if run == "A" else "A"
    names = _types(mine, extra)
    if chance:
        text = f"only {run} computes {names}, of random numbers ({chance}); {other} goes on without"
        return _of_rows(pair, "random", text, _SUGGESTIONS["random"])
    if a.is_loss(pair.a) and b.is_loss(pair.b):
        text = (
            f"gradients are taken in {other} of a value that both runs have, and in {run} of what {names} makes of it"
        )
        return _of_rows(pair, "missing", text, "compare how the two losses are reduced: sum, mean, weights, replicas")
    text = f"{run} computes {names} of values that both runs have, before {_next(a, b, pair, run)}; {other} does not"
    return _of_rows(pair, "missing", text, f"compute the same in {other}, or leave it out in {run}")


def _types(apart: Apart, rows: tuple[int, ...]) -> str:
    return ", ".join(dict.fromkeys(apart.side.site(row).op_type for row in rows))


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


def _one_number_given(a: Apart, b: Apart, pair: Pair, read: tuple[list[Unlike], list[Unlike]]) -> Explained | None:
    """A parameter of one run, where all elements of the other's are one number, as of a bias that was not loaded."""
    if len(read[0]) + len(read[1]) != 1:
        return None
    run, mine, other, of_other = ("A", a, b, pair.b) if read[0] else ("B", b, a, pair.a)
    row, size = (read[0] or read[1])[0].row, mine.side.numbers.size
    alike = (each for each in other.side.edges.parents[of_other]
             if other.side.numbers.size[each] == size[row] and other.constant[each])  # fmt: skip
    partner = next(alike, None)
    if partner is None:
        return None
    site = mine.side.site(pair.a if run == "A" else pair.b)
    text = f"{site.op_type} of {run} is given a parameter, and the other run one all of whose elements are one number"
    rows = (row, partner) if run == "A" else (partner, row)
    return Explained("parameter", *rows, distance_of(a, b, *rows), False, (), text, _SUGGESTIONS["parameter"])


def _held(a: Apart, b: Apart, pair: Pair) -> Explained:
    """A parameter that is another one, though both runs have made the values of both."""
    text = "this parameter does not hold the same in both runs, though both have the values of each"
    distance = distance_of(a, b, pair.a, pair.b)
    return Explained("parameter", pair.a, pair.b, distance, False, (), text, _SUGGESTIONS["parameter"])


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
    return Explained("update", *rows, distance_of(a, b, *rows), True, (), text, _of_optimizers(a, b))


def _of_optimizers(a: Apart, b: Apart) -> str:
    """The advice on updates, with what the frameworks' own formulas differ in where the runs are of two."""
    return _SUGGESTIONS["update" if a.side.frameworks == b.side.frameworks else "unlike updates"]


def _statistics(apart: Apart, read: list[Unlike]) -> str:
    """The names of running statistics, where a run is given no other parameters that the other has not."""
    names = [apart.side.statistic(each.row) for each in read]
    return ", ".join(names) if all(names) else ""


def _read_statistics(a: Apart, b: Apart, rows: tuple[int, int], kept: str) -> Explained:
    """Values are normalized by what was kept of those before, as in evaluation."""
    text = f"all that goes in agrees but what was kept of the values that were normalized before: {kept}"
    return Explained("update", *rows, distance_of(a, b, *rows), True, (), text, _SUGGESTIONS["statistics"])


def _shape(a: Apart, b: Apart, pair: Pair) -> Explained:
    """Two operations of one kind that make values of unlike sizes of equal ones."""
    shapes = [shape_text(each.side.shape(row)) for each, row in ((a, pair.a), (b, pair.b))]
    difference = attribute_differences(a, b, pair)
    given = _reshaped(a, b, pair)
    types = a.side.site(pair.a).op_type, b.side.site(pair.b).op_type
    text = f"from equal values {types[0]} of A makes {shapes[0]} and {types[1]} of B {shapes[1]}"
    if given:
        text += f"; what goes in is {given[0]} in A and {given[1]} in B"
        suggestion = f"give it {given[0]} in B: dimensions that are 1 or absent decide what is broadcast"
    elif difference:
        text += "; " + _told(difference)
        suggestion = _set(difference)
    else:
        suggestion = "compare an axis, a padding, a stride, and dimensions of 1 that are broadcast"
    return Explained("shape", pair.a, pair.b, pair.distance, True, difference, text, suggestion)


def _reshaped(a: Apart, b: Apart, pair: Pair) -> tuple[str, str] | None:
    """The shapes of a value that goes into both operations and has other dimensions in B."""
    theirs = {int(b.label[row]): row for row in b.side.edges.parents[pair.b] if b.label[row] >= 0}
    for row in a.side.edges.parents[pair.a]:
        other = theirs.get(int(a.label[row]))
        if a.label[row] < 0 or other is None:
            continue
        shapes = a.side.shape(row), b.side.shape(other)
        if None not in shapes and sorted(shapes[0] or ()) != sorted(shapes[1] or ()):
            return shape_text(shapes[0]), shape_text(shapes[1])
    return None


def _told(difference: tuple[AttributeDifference, ...]) -> str:
    return "; ".join(f"{each.attribute} is {each.a} in A and {each.b} in B" for each in difference)


def _set(difference: tuple[AttributeDifference, ...]) -> str:
    text = f"set {', '.join(f'{each.attribute} to {each.a}' for each in difference)} in B"
    uneven = any(
        each.attribute == "padding" and isinstance(each.a, list)
        and any(isinstance(pair, list) and len(set(pair)) > 1 for pair in each.a)
        for each in difference
    )  # fmt: skip
    return text + ("; unlike in front and behind, it is put around the input before" if uneven else "")


def _value(a: Apart, b: Apart, pair: Pair) -> Explained:
    if a.side.numbers.size[pair.a] != b.side.numbers.size[pair.b]:
        return _shape(a, b, pair)
    types = a.side.site(pair.a).op_type, b.side.site(pair.b).op_type
    agrees = not a.unknown_parents(pair.a) or not b.unknown_parents(pair.b)
    difference = attribute_differences(a, b, pair)
    if are_given_others(a, b, pair):
        difference = ()
        text = f"{types[1]} of B is not given what {types[0]} of A is: each takes another value that both runs have"
        suggestion = "compare what goes into the two lines: two values are exchanged, or one is mistaken"
    elif difference:
        text, suggestion = f"from equal inputs, with unlike attributes: {_told(difference)}", _set(difference)
    elif given := _given_besides(a, b, pair):
        run, shape = given
        text = f"{types[0 if run == 'A' else 1]} of {run} is given {shape} besides, which the other run's is not"
        suggestion = f"add it in {'B' if run == 'A' else 'A'}, or leave it out in {run}: a bias, a mask, a residual"
    elif a.side.kinds[pair.a] != b.side.kinds[pair.b]:
        text = f"from equal inputs A computes {types[0]} and B {types[1]}, which give other values"
        suggestion = "compare the two lines: another operation, or another formula for the same"
    else:
        text = f"{types[1]} of B gives other values than {types[0]} of A, from equal inputs"
        suggestion = "compare the arguments of the two lines: an epsilon, an axis, a mask, a scale, an approximation"
    return Explained("value", pair.a, pair.b, pair.distance, agrees, difference, text, suggestion)


def _normalized(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Parts of two normalizations, of which one may be a single operation."""
    found = unlike_normalizations(a, b, pair)
    if found is None:
        return None
    rows, difference = found
    text = f"equal values are normalized with unlike attributes: {_told(difference)}"
    advice = [_set((each,)) if each.attribute != PLACE else f"add the epsilon {each.a} in B" for each in difference]
    return Explained("value", *rows, distance_of(a, b, *rows), True, difference, text, "; ".join(advice))


def _given_besides(a: Apart, b: Apart, pair: Pair) -> tuple[str, str] | None:
    """The run one of whose operations takes a value that both runs have and the other's does not, and its shape."""
    if a.side.site(pair.a).framework != b.side.site(pair.b).framework:
        return None  # the one has an operation for a product and a bias, the other two
    for run, mine, other, row, others in (("A", a, b, pair.a, pair.b), ("B", b, a, pair.b, pair.a)):
        besides = mine.taken_whole(row) - other.taken_whole(others)
        if besides and other.taken_whole(others) <= mine.taken_whole(row) and not other.unknown_parents(others):
            parents = mine.side.edges.parents[row]
            return run, shape_text(mine.side.shape(next(each for each in parents if int(mine.label[each]) in besides)))
    return None


def _kept(a: Apart, b: Apart, pair: Pair) -> Explained:
    """What is made for the next step, or for evaluation."""
    return _statistic(a, b, pair) if b.side.statistics[pair.b] else _update(a, b, pair)


def _update(a: Apart, b: Apart, pair: Pair) -> Explained:
    unlike_kinds = a.side.kinds[pair.a] != b.side.kinds[pair.b]
    # The numbers of a norm, by which one run clips, and of a sum have nothing to do with each other.
    difference = () if unlike_kinds and a.side.frameworks == b.side.frameworks else attribute_differences(a, b, pair)
    step = int(b.side.numbers.step[pair.b])
    text = f"the gradients of step {step} agree, and what the optimizers make of them does not"
    text += f": {_told(difference)}" if difference else ""
    for run, mine, extra in (("A", a, pair.extra_a), ("B", b, pair.extra_b)):
        if extra:
            text += f"; {run} computes {_types(mine, extra)} on the way, the other run does not"
    return Explained("update", pair.a, pair.b, pair.distance, True, difference, text, _of_optimizers(a, b))


def _statistic(a: Apart, b: Apart, pair: Pair) -> Explained:
    """A running statistic that is updated otherwise, of equal values."""
    difference = attribute_differences(a, b, pair)
    text = f"what is normalized agrees, and what is kept of it in {b.side.statistic(pair.b)} for evaluation does not"
    text += f": {_told(difference)}" if difference else ""
    suggestion = _set(difference) if difference else _SUGGESTIONS["statistics"]
    return Explained("update", pair.a, pair.b, pair.distance, True, difference, text, suggestion)


def _of_rows(pair: Pair, kind: str, text: str, suggestion: str) -> Explained:
    return Explained(kind, pair.a, pair.b, pair.distance, True, (), text, suggestion)
