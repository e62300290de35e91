"""Says of a place at which two runs part what kind of difference it is, and what would make them agree."""

from __future__ import annotations

from tensordbg.analysis.diff.apart import Apart, Pair, are_of_one_kind, are_of_one_size, distance_of
from tensordbg.analysis.diff.arrangement import DRIFTING, fill_unlike, in_another_order, other_parts
from tensordbg.analysis.diff.attentions import explain_attention
from tensordbg.analysis.diff.attributes import as_written, attribute_differences
from tensordbg.analysis.diff.beginnings import (
    Unlike,
    advice_on_chance,
    advice_on_kernels,
    drawn_apart,
    unlike,
    unlike_inputs,
)
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.exchanged import have_other_inputs
from tensordbg.analysis.diff.explaining_losses import explain_loss, explain_whole, of_smoothing, of_written_loss
from tensordbg.analysis.diff.explaining_missing import chance_of, explain_missing
from tensordbg.analysis.diff.explaining_order import of_order
from tensordbg.analysis.diff.explaining_shapes import explain_shape
from tensordbg.analysis.diff.explaining_updates import (
    explain_added,
    explain_kept,
    explain_kept_in_parts,
    explain_left_over,
    explain_statistics_read,
    explain_updated,
    statistics_read,
)
from tensordbg.analysis.diff.gates import explain_gate
from tensordbg.analysis.diff.label_smoothing import unlike_smoothing
from tensordbg.analysis.diff.losses import losses_at_once
from tensordbg.analysis.diff.marks import unlike_marks
from tensordbg.analysis.diff.mixtures import explain_mixture
from tensordbg.analysis.diff.moving_averages import explain_running_mean
from tensordbg.analysis.diff.normalizations import unlike_normalizations
from tensordbg.analysis.diff.not_finite import explain_not_finite
from tensordbg.analysis.diff.numbers import HIGH, LOW
from tensordbg.analysis.diff.rescaled import rescaled
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.diff.softmaxes import unlike_softmaxes
from tensordbg.analysis.diff.unlike_parameters import constant_parameter, unlike_parameter
from tensordbg.analysis.diff.weighed_logarithms import explain_weighed
from tensordbg.analysis.diff.wording import SUGGESTIONS, Explained, attributes_text, of_rows, settings_to_set
from tensordbg.analysis.diff.written_out import composite_of
from tensordbg.analysis.failures.beginnings.words import shape_text
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind

_WALKED = 40
"""So many values are walked back through."""


def explain(a: Apart, b: Apart, pair: Pair) -> Explained:
    """Tells what a pair means.

    What went in and is not the same comes before what the operation itself computes: a parameter before an input.
    """
    if a.side.kept[pair.a] and b.side.kept[pair.b]:
        return explain_kept_in_parts(a, b, pair) if pair.in_parts else explain_kept(a, b, pair)
    of_formula = normalized(a, b, pair) or explain_attention(a, b, pair) or _gate_beside(a, b, pair)
    of_formula = of_formula or explain_weighed(a, b, pair) or explain_mixture(a, b, pair)
    of_formula = of_formula or explain_running_mean(a, b, pair) or _other_parameter(a, b, pair) or _drawn(a, b, pair)
    if of_formula is not None:
        return of_formula
    chance = chance_of(a, b, pair)
    if pair.extra_a or pair.extra_b:
        return explain_gate(a, b, pair) or explain_added(a, b, pair) or explain_missing(a, b, pair, chance)
    unlike_a, unlike_b = unlike_inputs(a, pair.a), unlike_inputs(b, pair.b)
    if not (a.taken(pair.a) or b.taken(pair.b) or unlike_a or unlike_b):
        return _begun(a, b, pair)
    read = _of_kind(unlike_a, "parameter"), _of_kind(unlike_b, "parameter")
    kept = statistics_read(a, read[0]) or statistics_read(b, read[1])
    if any(read) and (kept or _trained_before(a, b, pair)):
        rows = tuple(found[0].row if found else row for found, row in zip(read, (pair.a, pair.b), strict=True))
        both = rows[0], rows[1]
        return explain_statistics_read(a, b, both, kept) if kept else explain_updated(a, b, pair, both)
    given = _unlike_inputs(a, b, pair, unlike_a, unlike_b) or constant_parameter(a, b, pair, read)
    if given is not None:
        return given
    if a.side.operation(pair.a).kind is Kind.READ is b.side.operation(pair.b).kind:
        return _held(a, b, pair)
    told = explain_not_finite(a, b, pair) or explain_left_over(a, b, pair)
    if told is not None:
        return told
    if b.agreed_before(pair.b) and (not b.side.backward[pair.b] or pair.distance < DRIFTING):
        return explain_updated(a, b, pair, (pair.a, pair.b))
    return _value(a, b, pair)


def _other_parameter(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of a parameter that begins as another one; what was trained, or drawn on the way, is told by that."""
    return None if chance_of(a, b, pair) or _trained_before(a, b, pair) else unlike_parameter(a, b, pair)


def _drawn(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of random numbers where one run has them drawn within a kernel."""
    drawn = drawn_apart(a, b, pair)
    if drawn is None:
        return _drawn_in_one(a, b, pair)
    text = f"both compute it of random numbers, {drawn[0]} of A and {drawn[1]} of B: compiled code draws its own"
    return of_rows(pair, "random", text, advice_on_kernels(a, b))


def _drawn_in_one(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of random numbers that go into one operation alone, as where a product and a sum are fused."""
    of_a, of_b = unlike_inputs(a, pair.a), unlike_inputs(b, pair.b)
    found = of_a or of_b
    if (of_a and of_b) or pair.extra_a or pair.extra_b or not found or any(each.kind != "random" for each in found):
        return None
    drawn, names = found[0], (f"{a.side.site(pair.a).op_type} of A", f"{b.side.site(pair.b).op_type} of B")
    given, other = names if of_a else reversed(names)
    text = f"{given} is given random numbers ({drawn.drawn_by}), and {other} is not; all else that goes in agrees"
    rows = (drawn.drawn_at, NONE) if of_a else (NONE, drawn.drawn_at)
    return of_rows(pair, "random", text, advice_on_chance(a, b, rows))


def _trained_before(a: Apart, b: Apart, pair: Pair) -> bool:
    """Tells whether either run has updated parameters in the steps before."""
    time = min(a.side.time[pair.a], b.side.time[pair.b])
    return any(bool((each.side.updates & (each.side.numbers.step < time)).any()) for each in (a, b))


def _gate_beside(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of a gate where the products with recurrent weights are of unlike sizes, or one of them is of zeros."""
    unlike = not are_of_one_size(a, b, pair.a, pair.b)
    return explain_gate(a, b, pair) if unlike and not (pair.extra_a or pair.extra_b) else None


def _unlike_inputs(a: Apart, b: Apart, pair: Pair, unlike_a: list[Unlike], unlike_b: list[Unlike]) -> Explained | None:
    """What went into both and is not the same; a number that the program has written is an attribute."""
    for kind in ("parameter", "random", "input"):
        mine, theirs = _of_kind(unlike_a, kind), _of_kind(unlike_b, kind)
        if mine and theirs:
            rows = mine[0].row, theirs[0].row
            numbers = _is_number(a, rows[0]) and _is_number(b, rows[1])
            if kind == "input" and (numbers or _weigh_loss(a, b, pair, rows)):
                return _value(a, b, pair)
            if kind == "input" and not (are_of_one_size(a, b, *rows) and _begins(a, rows[0]) and _begins(b, rows[1])):
                continue  # what one run has whole, as a sequence, the other may take in pieces
            if kind == "random":
                return _drawn_otherwise(a, b, mine[0], theirs[0]) or _by_chance(a, b, pair, mine[0], theirs[0])
            return _other_input(a, b, pair, kind, rows)
    return None


def _drawn_otherwise(a: Apart, b: Apart, mine: Unlike, theirs: Unlike) -> Explained | None:
    """Random numbers that are drawn with unlike settings, as where the rates of two dropouts differ."""
    if NONE in (mine.drawn_at, theirs.drawn_at) or not are_of_one_size(a, b, mine.drawn_at, theirs.drawn_at):
        return None
    drawn = Pair(mine.drawn_at, theirs.drawn_at, distance_of(a, b, mine.drawn_at, theirs.drawn_at))
    difference = attribute_differences(a, b, drawn)
    if not difference:
        return None
    text = f"random numbers are drawn with unlike attributes: {attributes_text(difference)}"
    suggestion = f"{settings_to_set(difference)}, as by the rate of a dropout: p may be 1 less it"
    return Explained("random", mine.row, theirs.row, distance_of(a, b, mine.row, theirs.row), True, difference, text,
                     suggestion)  # fmt: skip


def _begins(apart: Apart, row: int) -> bool:
    """Tells whether nothing that both runs have goes into a value."""
    made_by = reached(row, apart.unknown_parents, _WALKED)
    return not any(apart.taken_whole(each) for each in made_by)


def _weigh_loss(a: Apart, b: Apart, pair: Pair, rows: tuple[int, int]) -> bool:
    """Tells whether two inputs are single numbers that losses are given, which are settings of these."""
    single = a.side.numbers.size[rows[0]] == b.side.numbers.size[rows[1]] == 1
    return bool(single and all(losses_at_once(a, b, pair)))


def _is_number(apart: Apart, row: int) -> bool:
    """Tells whether a value is a single number that the program has written: a setting, and no data.

    Eager TensorFlow is given it as it is given data.
    """
    kind, single = apart.side.operation(row).kind, bool(apart.side.numbers.size[row] == 1)
    return single and (kind is Kind.CONSTANT or (kind is Kind.INPUT and apart.side.shape(row) == ()))


def _of_kind(found: list[Unlike], kind: str) -> list[Unlike]:
    return [each for each in found if each.kind == kind]


def _by_chance(a: Apart, b: Apart, pair: Pair, mine: Unlike, theirs: Unlike) -> Explained:
    names = a.side.site(pair.a).op_type, b.side.site(pair.b).op_type
    text = f"{names[1]} of B is given other random numbers than {names[0]} of A; all else that goes in agrees"
    advice = advice_on_chance(a, b, (mine.drawn_at, theirs.drawn_at))
    distance = distance_of(a, b, mine.row, theirs.row)
    return Explained("random", mine.row, theirs.row, distance, False, (), text, advice)


def _other_input(a: Apart, b: Apart, pair: Pair, kind: str, rows: tuple[int, int]) -> Explained:
    what = {"parameter": "a parameter", "input": "an input"}[kind]
    names = a.side.site(pair.a).op_type, b.side.site(pair.b).op_type
    text = f"{names[1]} of B is given {what} that is not that of {names[0]} in A; all else that goes in agrees"
    text += rescaled(a, b, rows) if kind == "input" else ""
    return Explained(kind, *rows, distance_of(a, b, *rows), False, (), text, SUGGESTIONS[kind])


def _held(a: Apart, b: Apart, pair: Pair) -> Explained:
    """A parameter that is another one, though both runs have made the values of both."""
    text = "this parameter does not hold the same in both runs, though both have the values of each"
    distance = distance_of(a, b, pair.a, pair.b)
    return Explained("parameter", pair.a, pair.b, distance, False, (), text, SUGGESTIONS["parameter"])


def _begun(a: Apart, b: Apart, pair: Pair) -> Explained:
    """A value that is made of no other, where the runs begin with nothing in common."""
    kind = unlike(b, pair.b).kind
    text = f"the runs begin with unlike values: this is the first {kind} that goes into a product"
    text += rescaled(a, b, (pair.a, pair.b)) if kind == "input" else ""
    return Explained(kind, pair.a, pair.b, pair.distance, False, (), text, SUGGESTIONS[kind])


def _value(a: Apart, b: Apart, pair: Pair) -> Explained:
    if not are_of_one_size(a, b, pair.a, pair.b):
        return (explain_loss(a, b, pair) if pair.of_losses else None) or explain_shape(a, b, pair)
    types = a.side.site(pair.a).op_type, b.side.site(pair.b).op_type
    agrees = not (_unknown_values(a, pair.a) and _unknown_values(b, pair.b))
    if (of_loss := of_written_loss(a, b, pair)) is not None:
        return of_loss
    difference = _approximation(a, b, pair) or attribute_differences(a, b, pair)
    if have_other_inputs(a, b, pair):
        difference = ()
        text = f"{types[1]} of B is not given what {types[0]} of A is: each takes another value that both runs have"
        suggestion = "compare what goes into the two lines: two values are exchanged, or one is mistaken"
        if other_parts(a, b, pair):
            text += "; they are made of parts of one value: gates, heads or channels are in another order"
            suggestion = SUGGESTIONS["order"]
    elif difference:
        text = f"from equal inputs, with unlike attributes: {attributes_text(difference)}"
        suggestion = settings_to_set(difference)
    elif smoothed := unlike_smoothing(a, b, pair):
        return of_smoothing(pair, smoothed)
    elif (of_loss := explain_loss(a, b, pair)) is not None:
        return of_loss
    elif given := _extra_input(a, b, pair):
        run, shape = given
        text = f"{types[0 if run == 'A' else 1]} of {run} is given {shape} besides, which the other run's is not"
        suggestion = f"add it in {'B' if run == 'A' else 'A'}, or leave it out in {run}: a bias, a mask, a residual"
    elif (of_whole := explain_whole(a, b, pair, [pair.a], [pair.b])) is not None:
        return of_whole
    else:
        text, suggestion = _unlike_operands(a, b, pair) or _unlike_results(a, b, pair, agrees)
    return Explained("value", pair.a, pair.b, pair.distance, agrees, difference, text, suggestion)


def _unlike_operands(a: Apart, b: Apart, pair: Pair) -> tuple[str, str] | None:
    """Tells of one operation that takes values which the program has written, where the other takes one number."""
    if not (are_of_one_kind(a, b, pair.a, pair.b) and a.taken_whole(pair.a) & b.taken_whole(pair.b)):
        return None
    given_a, given_b = _written(a, pair.a, b.taken(pair.b)), _written(b, pair.b, a.taken(pair.a))
    sizes = [each.side.numbers.size[row] for each, row in ((a, given_a), (b, given_b)) if row is not None]
    if given_a is None or given_b is None or sizes[0] == sizes[1] or min(sizes) > 1:
        return None
    types = a.side.site(pair.a).op_type, b.side.site(pair.b).op_type
    text = f"{types[0]} of A is given {_operand(a, given_a)}, and {types[1]} of B {_operand(b, given_b)}"
    return text, "give both the same: a mean or a scale of each channel, or one of all"


def _written(apart: Apart, row: int, others: frozenset[int]) -> int | None:
    """The only value that goes into an operation and not into the other run's, if it is made of no other."""
    side = apart.side
    rows = [each for each in side.edges.parents[row] if int(apart.label[each]) not in others]
    return rows[0] if len(rows) == 1 and not side.edges.parents[rows[0]] else None


def _operand(apart: Apart, row: int) -> str:
    low, high = (float(apart.side.numbers.statistics[row, column]) for column in (LOW, HIGH))
    if low == high:
        return f"the number {as_written(low)}"
    return f"{shape_text(apart.side.shape(row))} from {low:.4g} to {high:.4g}"


def _unlike_results(a: Apart, b: Apart, pair: Pair, agrees: bool) -> tuple[str, str]:
    """Tells of two operations of whose settings and inputs no difference is known by name."""
    types = a.side.site(pair.a).op_type, b.side.site(pair.b).op_type
    if other_parts(a, b, pair) and _compute_alike(a, b, pair):
        text = (
            f"{types[1]} of B and {types[0]} of A each take a part of a value that both runs have, and not the same "
            "part: places of a sequence, halves, gates, heads or channels are in another order"
        )
        return text, SUGGESTIONS["order"]
    if in_another_order(a, b, pair):
        return unlike_marks(a, b, pair) or of_order(a, b, pair)
    softmax = unlike_softmaxes(a, b, pair)
    if softmax is not None:
        return softmax
    if fill_unlike(a, b, pair):
        text = f"{types[0]} of A and {types[1]} of B fill in unlike elements of equal values: another mask"
        return text, SUGGESTIONS["mask"]
    if not agrees:
        text = f"{types[1]} of B gives other values than {types[0]} of A; some of what goes in only one run has"
        suggestion = (
            "compare what goes into the two lines, and how it is arranged: the order of gates, heads, channels, time"
        )
        return text, suggestion
    if not are_of_one_kind(a, b, pair.a, pair.b) and _compute_alike(a, b, pair):
        text = (
            f"{types[0]} of A and {types[1]} of B belong to one formula, computed of equal values with unlike results: "
            "by a setting that is not in the traces"
        )
        return text, "compare the settings of the two lines: an epsilon, an axis, an approximation"
    if not are_of_one_kind(a, b, pair.a, pair.b):
        text = f"from equal inputs A computes {types[0]} and B {types[1]}, which give other values"
        return text, "compare the two lines: another operation, or another formula for the same"
    text = f"{types[1]} of B gives other values than {types[0]} of A, from equal inputs"
    return text, "compare the arguments of the two lines: an epsilon, an axis, a mask, a scale, an approximation"


def _compute_alike(a: Apart, b: Apart, pair: Pair) -> bool:
    """Tells whether two values are of one kind, be it one operation or written out."""
    of_a, of_b = composite_of(a, pair.a), composite_of(b, pair.b)
    return are_of_one_kind(a, b, pair.a, pair.b) or (of_a is not None and of_b is not None and of_a.kind is of_b.kind)


def _approximation(a: Apart, b: Apart, pair: Pair) -> tuple[AttributeDifference, ...]:
    """How two GELUs approximate, of which at least one is written out."""
    of_a, of_b = composite_of(a, pair.a), composite_of(b, pair.b)
    if of_a is None or of_b is None or not of_a.form or not of_b.form or of_a.form == of_b.form:
        return ()
    return (AttributeDifference("approximate", of_a.form, of_b.form),)


def _unknown_values(apart: Apart, row: int) -> list[int]:
    """What goes in that the other run has not, but numbers that the program has written."""
    return [each for each in apart.unknown_parents(row) if not _is_number(apart, each)]


def normalized(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Parts of two normalizations, of which one may be a single operation."""
    found = unlike_normalizations(a, b, pair)
    if found is None:
        return None
    rows, difference = found
    text = f"equal values are normalized with unlike attributes: {attributes_text(difference)}"
    return Explained("value", *rows, distance_of(a, b, *rows), True, difference, text, settings_to_set(difference))


def _extra_input(a: Apart, b: Apart, pair: Pair) -> tuple[str, str] | None:
    """The run one of whose operations takes a value that both runs have and the other's does not, and its shape."""
    if a.side.site(pair.a).framework != b.side.site(pair.b).framework:
        return None  # the one has an operation for a product and a bias, the other two
    for run, mine, other, row, others in (("A", a, b, pair.a, pair.b), ("B", b, a, pair.b, pair.a)):
        if other.unknown_parents(others) or not other.taken_whole(others) <= mine.taken_whole(row):
            continue
        known = mine.taken_whole(row) - other.taken_whole(others)
        besides = [each for each in mine.side.edges.parents[row] if int(mine.label[each]) in known]
        besides += [each for each in mine.unknown_parents(row) if mine.side.operation(each).kind is Kind.READ]
        if besides:
            return run, shape_text(mine.side.shape(besides[0]))
    return None
