"""The parameters of both runs, as they were when they were first read, side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.diff.apart import Apart, distance_of
from tensordbg.analysis.diff.result import ParameterPair
from tensordbg.analysis.program.layer_path import layer_path
from tensordbg.operations.kinds import Kind


@dataclass(frozen=True)
class _Parameter:
    name: str
    row: int
    shape: tuple[int, ...] | None


def pair_parameters(a: Apart, b: Apart, tolerance: float) -> tuple[ParameterPair, ...]:
    """Pairs parameters by their values, then those that are left by size and order."""
    mine, theirs = _parameters(a), _parameters(b)
    by_label = {int(a.label[each.row]): each for each in reversed(mine) if a.label[each.row] >= 0}
    found: dict[int, _Parameter] = {}
    left = list(mine)
    for each in theirs:
        partner = by_label.get(int(b.label[each.row]))
        if partner in left:
            found[each.row] = partner
            left.remove(partner)
    pairs = []
    for each in theirs:
        partner = found.get(each.row) or _of_size(a, b, left, each)
        if partner in left:
            left.remove(partner)
        pairs.append(_pair(a, b, (partner, each), tolerance))
    return (*pairs, *(ParameterPair(each.name, "", "only_a", None, each.shape) for each in left))


def _of_size(a: Apart, b: Apart, left: list[_Parameter], wanted: _Parameter) -> _Parameter | None:
    size, anchor = b.side.numbers.size[wanted.row], b.anchor[wanted.row]
    fitting = (each for each in left if a.side.numbers.size[each.row] == size and a.anchor[each.row] == anchor)
    return next(fitting, None)


def _pair(a: Apart, b: Apart, both: tuple[_Parameter | None, _Parameter], tolerance: float) -> ParameterPair:
    mine, theirs = both
    if mine is None:
        return ParameterPair("", theirs.name, "only_b", None, None, theirs.shape)
    error = distance_of(a, b, mine.row, theirs.row)
    turned = mine.shape is not None and theirs.shape is not None and mine.shape != theirs.shape
    status = ("transposed" if turned else "equal") if error <= tolerance else "differs"
    return ParameterPair(mine.name, theirs.name, status, error, mine.shape, theirs.shape)


def _parameters(apart: Apart) -> list[_Parameter]:
    """The first value of each parameter: what reads a variable, and what an optimizer makes the next value of."""
    side = apart.side
    named = _variables(apart) or _updated(apart)
    in_order = sorted(named.items(), key=lambda item: (side.site(item[0]).reads, item[0]))
    views = side.details.views(int(side.numbers.event[row]) for row in named)
    return [_Parameter(name, row, views[int(side.numbers.event[row])].shape) for row, name in in_order]


def _variables(apart: Apart) -> dict[int, str]:
    """Values that were read of variables whole, with their names: of each the first that the run computes with."""
    side = apart.side
    reads: dict[str, list[int]] = {}
    for row in np.flatnonzero(side.kinds == list(Kind).index(Kind.READ)).tolist():
        site = side.site(row)
        if len(site.reads) == 1:
            variable = side.program.variables.get(site.reads[0])
            scalar = side.numbers.size[row] == 1
            if variable is not None and (variable.trainable or (variable.trainable is None and not scalar)):
                reads.setdefault(variable.name, []).append(row)
    used = side.edges.children
    return {next((row for row in rows if used[row]), rows[0]): name for name, rows in reads.items()}


def _updated(apart: Apart) -> dict[int, str]:
    """Values of the first step that an optimizer makes the next ones of, named by the operation that takes them."""
    side = apart.side
    steps, updates, backward = side.numbers.step, side.updates, side.backward
    found = {}
    for row in np.flatnonzero((steps == steps.min(initial=0)) & ~updates & ~backward).tolist():
        children = side.edges.children[row]
        user = next((child for child in children if not updates[child] and not backward[child]), None)
        whole = side.numbers.size[row] > 1 and not side.site(row).reads
        if user is not None and whole and any(updates[child] for child in children):
            found[row] = _place(apart, row, user)
    return found


def _place(apart: Apart, row: int, user: int) -> str:
    """`blocks.0.attn/1`: the module and the place among the inputs of its operation."""
    site = apart.side.site(user)
    return f"{layer_path(site) or site.name}/{apart.side.edges.parents[user].index(row)}"
