"""Says of updates and running statistics that part how they do: what is made for the next step, or for evaluation."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Pair, are_of_one_kind, distance_of
from tensordbg.analysis.diff.attributes import CONSTANT, attribute_differences
from tensordbg.analysis.diff.beginnings import Unlike
from tensordbg.analysis.diff.clipped import scaled_gradients
from tensordbg.analysis.diff.clipping_forms import unlike_clipping
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.factors import unlike_factors
from tensordbg.analysis.diff.formulas import compare_with_formula, lacks_correction, occurs_elsewhere
from tensordbg.analysis.diff.learning_rate import ratio_of_rates
from tensordbg.analysis.diff.optimizers import (
    ComparedOptimizers,
    compare_optimizers,
    has_decay,
    unlike_epsilons,
)
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.diff.rule_forms import unlike_forms
from tensordbg.analysis.diff.unlike_gradients import unlike_gradients
from tensordbg.analysis.diff.wording import SUGGESTIONS, Explained, attributes_text, settings_to_set, types_of
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.setting_names import setting_of_kept
from tensordbg.operations.traits import Trait

_PARAMETER = "parameter"
_SUMS = 40
"""So many values before an update are looked at for sums of gradients."""


def explain_updated(a: Apart, b: Apart, pair: Pair, rows: tuple[int, int]) -> Explained:
    """Tells of parameters that are read and are not what they are in the other run, though all was equal before."""
    step = int(max(a.side.time[pair.a], b.side.time[pair.b]))
    text = (
        f"up to step {step} all agrees but what the optimizers have made of the parameters: those differ in step {step}"
    )
    compared = compare_optimizers(a, b, pair, step - 1)
    difference = _of_formula(a, b, pair, step - 1) if compared is None else compared.difference
    difference = difference or unlike_clipping(a, b, step - 1)
    left_over = None if difference else _left_over_in_step(a, b, pair, step - 1)
    if left_over is not None:
        return left_over
    gradients = None if difference else unlike_gradients(a, b, rows, step - 1)
    if gradients is not None:
        return gradients
    text += f"; {attributes_text(difference)}" if difference else ""
    suggestion = settings_to_set(difference) if difference else _of_optimizers(a, b)
    if not difference and (run := _squares_each_lookup(a, b, step - 1)):
        text += f"; the optimizer of {run} squares what comes back to a row one by one, before adding up"
        suggestion = f"have {run} add it up before: make the gradient of the table dense, or look up by a product"
    return Explained("update", *rows, distance_of(a, b, *rows), True, difference, text, suggestion)


def _squares_each_lookup(a: Apart, b: Apart, step: int) -> str:
    """Tells the run, where it is one alone, that adds up squares of what comes back to a table, and not their sum's.

    So do Keras's optimizers with the slices that TensorFlow makes of the gradient of a lookup.
    """
    found = [run for run, apart in (("A", a), ("B", b)) if _adds_up_squares(apart, step)]
    return found[0] if len(found) == 1 else ""


def _adds_up_squares(apart: Apart, step: int) -> bool:
    side = apart.side
    adds = side.of_sites(_adds_by_rows) & (side.numbers.step == step) & side.updates
    made_of = (each for row in np.flatnonzero(adds).tolist() for each in side.edges.parents[row])
    return any(side.operation(each).kind is Kind.SQUARE for each in made_of)


def _adds_by_rows(site: Site) -> bool:
    """Tells whether an operation adds up what belongs to one row; a sum along axes is known as such."""
    operation = operation_of(site)
    return operation.has(Trait.ADDS) and operation.kind is Kind.OTHER


def _of_formula(a: Apart, b: Apart, pair: Pair, step: int) -> tuple[AttributeDifference, ...]:
    """The difference of two rules of which at least one is written out by the program."""
    return compare_with_formula(a, b, pair, step) or unlike_forms(a, b, pair, step)


def _of_optimizers(a: Apart, b: Apart) -> str:
    """The advice on updates, with what the frameworks' own formulas differ in where the runs are of two."""
    return SUGGESTIONS["update" if a.side.frameworks == b.side.frameworks else "unlike updates"]


def statistics_read(apart: Apart, read: list[Unlike]) -> str:
    """Tells the names of running statistics, where a run is given no other parameters that the other has not."""
    names = [apart.side.statistic(each.row) for each in read]
    return ", ".join(names) if all(names) else ""


def explain_statistics_read(a: Apart, b: Apart, rows: tuple[int, int], kept: str) -> Explained:
    """Tells of values that are normalized by what was kept of those before, as in evaluation."""
    text = f"all that goes in agrees but what was kept of the values that were normalized before: {kept}"
    return Explained("update", *rows, distance_of(a, b, *rows), True, (), text, SUGGESTIONS["statistics"])


def explain_kept(a: Apart, b: Apart, pair: Pair) -> Explained:
    """Tells of what is made for the next step, or for evaluation."""
    return _statistic(a, b, pair) if b.side.statistics[pair.b] else _update(a, b, pair)


def _update(a: Apart, b: Apart, pair: Pair) -> Explained:
    step = int(b.side.numbers.step[pair.b])
    told = explain_added(a, b, pair) or _by_settings(a, b, pair, step) or _left_over_in_step(a, b, pair, step)
    if told is not None:
        return told
    if clipping := unlike_clipping(a, b, step):
        return _set_otherwise(b, pair, ComparedOptimizers(clipping))
    if compare_optimizers(a, b, pair, step) is None and (of_formula := _of_formula(a, b, pair, step)):
        return _set_otherwise(b, pair, ComparedOptimizers(of_formula))
    difference = _of_operations(a, b, pair, step)
    named = bool(difference) and all(each.attribute != CONSTANT for each in difference)
    ratio = None if named else ratio_of_rates(a, b, pair)
    if ratio is not None and (uncorrected := lacks_correction(a, b, pair, ratio)):
        return _set_otherwise(b, pair, ComparedOptimizers(uncorrected))
    more = named or ratio is not None or _decays_by_itself(a, b, pair, step)
    more = more or any(next(scaled_gradients(each), None) is not None for each in (a, b))
    if not more and (epsilons := unlike_epsilons(a, b, pair, step)):
        return _set_otherwise(b, pair, epsilons)
    return _by_operations(a, b, pair, difference, ratio)


def _by_settings(a: Apart, b: Apart, pair: Pair, step: int) -> Explained | None:
    """Tells of two optimizers with unlike settings; not of the epsilons of two frameworks, which rarely matter."""
    compared = compare_optimizers(a, b, pair, step)
    rarely = a.side.frameworks != b.side.frameworks and compared is not None and compared.is_rounding
    return _set_otherwise(b, pair, compared) if compared is not None and compared.difference and not rarely else None


def _of_operations(a: Apart, b: Apart, pair: Pair, step: int) -> tuple[AttributeDifference, ...]:
    """The settings and numbers by which two operations make unlike updates.

    The numbers of a norm, by which one run clips, and of a sum have nothing to do with each other.
    """
    apart = not are_of_one_kind(a, b, pair.a, pair.b) and a.side.frameworks == b.side.frameworks
    difference = unlike_factors(a, b, pair) or (() if apart else attribute_differences(a, b, pair))
    of_two = bool(a.side.optimizers) != bool(b.side.optimizers)
    means_another = len(difference) == 1 and of_two and occurs_elsewhere(a, b, step, difference[0])
    return () if means_another else difference


def _by_operations(
    a: Apart, b: Apart, pair: Pair, difference: tuple[AttributeDifference, ...], ratio: float | None
) -> Explained:
    """Tells how two updates of equal gradients differ by what is computed on the way."""
    step = int(b.side.numbers.step[pair.b])
    text, suggestion = f"the gradients of step {step} agree, and what the optimizers make of them does not", ""
    text += f": {attributes_text(difference)}" if difference else ""
    if difference and all(each.attribute != CONSTANT for each in difference):
        suggestion = settings_to_set(difference)
    elif ratio is not None and (pair.extra_a or pair.extra_b):
        text += f"; the steps of B are {ratio:.3g} times those of A"
    elif ratio is not None:
        text += f"; the learning rate of B is {ratio:.3g} times that of A{_since(b, pair)}"
        suggestion = f"compare the learning rates and their schedules in step {step}"
    for run, mine, extra in (("A", a, pair.extra_a), ("B", b, pair.extra_b)):
        if extra and mine.side.numbers.size[extra[0]] == 1:
            text += (
                f"; {run} scales them by a number that it measures of them ({types_of(mine, extra)}), as clipping does"
            )
            suggestion = f"clip in both runs alike; {'B' if run == 'A' else 'A'} does not"
        elif extra:
            text += (
                f"; {run} computes {types_of(mine, extra)} on the way{_as_what(mine, extra)}, the other run does not"
            )
    return Explained(
        "update", pair.a, pair.b, pair.distance, True, difference, text, suggestion or _of_optimizers(a, b)
    )


def _set_otherwise(b: Apart, pair: Pair, compared: ComparedOptimizers) -> Explained:
    """Tells the settings by which the optimizers make unlike updates of equal gradients."""
    step, difference = int(b.side.numbers.step[pair.b]), compared.difference
    text = (
        f"the gradients of step {step} agree, and what the optimizers make of them does not: "
        f"{attributes_text(difference)}{_since(b, pair)}"
    )
    return Explained("update", pair.a, pair.b, pair.distance, True, difference, text, settings_to_set(difference))


def _since(b: Apart, pair: Pair) -> str:
    """Tells since when updates differ, where they agreed in a step before."""
    return f"; up to step {int(b.side.numbers.step[pair.b]) - 1} the updates agree" if b.agreed_before(pair.b) else ""


def _as_what(apart: Apart, extra: tuple[int, ...]) -> str:
    """What computes the like: a sum of a gradient and its parameter, or of a gradient and what is kept of others."""
    names = set()
    for row in extra:
        if apart.side.operation(row).kind is Kind.ADD:
            names |= {_variable_behind(apart, parent) for parent in apart.side.edges.parents[row]}
    if "momentum" in names:
        return " of what is kept, as Nesterov's momentum does"
    return " of the parameter, as weight decay does" if _PARAMETER in names else ""


def _decays_by_itself(a: Apart, b: Apart, pair: Pair, step: int) -> bool:
    """Whether one program alone multiplies a parameter in the updates of a step, though no optimizer has a decay."""
    return not has_decay(a, pair.a, step) and _scales_parameter(a, step) != _scales_parameter(b, step)


def _scales_parameter(apart: Apart, step: int) -> bool:
    """Whether a run multiplies a parameter in the updates of a step, as weight decay does."""
    rows = np.flatnonzero(apart.side.updates & (apart.side.numbers.step == step) & (apart.label < 0))
    return any(
        apart.side.operation(row).kind is Kind.MULTIPLY
        and any(_variable_behind(apart, each) == _PARAMETER for each in apart.side.edges.parents[row])
        for row in rows.tolist()
    )


def _variable_behind(apart: Apart, row: int) -> str:
    """`parameter` for the value of a trained variable, for what an optimizer keeps its setting, else empty."""
    touched = apart.side.touched(row)
    if any(each.trainable for each in touched):
        return _PARAMETER
    return next((setting_of_kept(each.name.rpartition("/")[2], multiplies=True) for each in touched), "")


def explain_kept_in_parts(a: Apart, b: Apart, pair: Pair) -> Explained:
    """Tells of updates of a step that one run takes in more parts than the other."""
    step = int(b.side.numbers.step[pair.b])
    for mine, row in ((a, pair.a), (b, pair.b)):
        for gradient in reached(row, mine.side.edges.parents.__getitem__, _SUMS):
            if _is_added_to_earlier(mine, gradient):
                return _other_gradients(b, pair, ("A" if mine is a else "B", mine, gradient))
    text = (
        f"the runs take step {step} in unlike numbers of parts, from equal parameters, and the gradients that add up "
        "are not those of the whole"
    )
    ratio = ratio_of_rates(a, b, pair)
    text += "" if ratio is None else f": the steps of B are {ratio:.3g} times those of A"
    suggestion = "compare how the losses of the parts are weighed: each mean counts for its share of the batch"
    return Explained("update", pair.a, pair.b, pair.distance, True, (), text, suggestion)


def explain_added(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of gradients that are summed up on the way of one run alone; `None` where none are."""
    for run, mine, extra in (("A", a, pair.extra_a), ("B", b, pair.extra_b)):
        if extra and mine.side.backward[extra[0]] and mine.side.operation(extra[0]).kind in (Kind.ADD, Kind.ADD_MANY):
            return _other_gradients(b, pair, (run, mine, extra[0]))
    return None


def explain_left_over(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of gradients that one run adds to those of a step before; `None` where neither does."""
    rows = [row if _is_added_to_earlier(each, row) else None for each, row in ((a, pair.a), (b, pair.b))]
    return _added_by_one(a, b, pair, rows)


def _left_over_in_step(a: Apart, b: Apart, pair: Pair, step: int) -> Explained | None:
    """Tells of any gradient of a step that only one run adds to those of a step before."""
    rows = [
        next((row for row in np.flatnonzero(each.side.backward & (each.side.numbers.step == step)).tolist()
              if _is_added_to_earlier(each, row)), None)
        for each in (a, b)
    ]  # fmt: skip
    return _added_by_one(a, b, pair, rows)


def _added_by_one(a: Apart, b: Apart, pair: Pair, rows: list[int | None]) -> Explained | None:
    """Tells of a sum of gradients where only one of the runs has one."""
    match rows:
        case [int(row), None]:
            return _other_gradients(b, pair, ("A", a, row))
        case [None, int(row)]:
            return _other_gradients(b, pair, ("B", b, row))
    return None


def _other_gradients(b: Apart, pair: Pair, added: tuple[str, Apart, int]) -> Explained:
    """A gradient that one run adds to others: to those of a step before, or of another use of the parameter."""
    run, mine, row = added
    step, other = int(b.side.numbers.step[pair.b]), "B" if run == "A" else "A"
    if _is_added_to_earlier(mine, row):
        text = f"{run} adds the gradients of step {step} to those of a step before, which were not set to zero"
        suggestion = f"set the gradients to zero before each step in {run} (`optimizer.zero_grad()`), as {other} does"
    else:
        text = (
            f"the gradient that {run} takes a step by is a sum ({types_of(mine, (row,))}); {other} takes one part of it"
        )
        suggestion = (
            f"compare where the parameter is used: in {other} a use is detached, is missing, or has a parameter of its "
            f"own; and what {run} adds to its loss, such as a penalty on its parameters"
        )
    return Explained("update", pair.a, pair.b, pair.distance, True, (), text, suggestion)


def _is_added_to_earlier(apart: Apart, row: int) -> bool:
    side = apart.side
    parents, step = side.edges.parents[row], side.numbers.step
    earlier = any(step[each] < step[row] and side.backward[each] for each in parents)
    return bool(side.backward[row] and side.operation(row).kind is Kind.ADD and earlier)


def _statistic(a: Apart, b: Apart, pair: Pair) -> Explained:
    """A running statistic that is updated otherwise, of equal values."""
    difference = attribute_differences(a, b, pair)
    text = f"what is normalized agrees, and what is kept of it in {b.side.statistic(pair.b)} for evaluation does not"
    text += f": {attributes_text(difference)}" if difference else ""
    suggestion = settings_to_set(difference) if difference else SUGGESTIONS["statistics"]
    return Explained("update", pair.a, pair.b, pair.distance, True, difference, text, suggestion)
