"""Differences of two operations that should compute the same: in their settings, in the numbers they are given.

One framework has an operation with an epsilon, another writes the formula out and adds a number: so a setting that only
one operation has is compared with the number that only the other's formula holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.numbers import LOW
from tensordbg.analysis.diff.padding import around, spatial_sizes
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.diff.zeros_around import FILLED, Zeros, filled_in, padded_for, with_zeros, zeros_before
from tensordbg.model import NOTES
from tensordbg.operations.kinds import Kind
from tensordbg.operations.setting_names import base_of, common_name, complete_pooling, setting_of_kept, with_window
from tensordbg.operations.traits import Trait

_OF_TYPE = frozenset({"T", "Tidx", "Tshape", "dtype", "DstT", "SrcT", "U", "Tparams", "Tindices", "Tdim", "Treduction"})
"""Attributes that only say of which type the numbers are."""
_NO_SETTINGS = frozenset({"autocast", "value", "data_format", "explicit_paddings", "use_cudnn_on_gpu"})
"""Attributes that say of an operation something else than what it makes of equal numbers."""
_OF_STATE = frozenset({"momentum"})
"""Settings that say what is kept for later, and stand in no formula of the result."""
_OF_FORM = frozenset({"keep_dims"})
"""Settings of the shape alone, which frameworks write otherwise."""
_STRIDE, _DILATION = "stride", "dilation"
_OF_SPACE = frozenset({_STRIDE, _DILATION})
"""Settings with a number for each axis of space."""
AXIS, _BASE = "axis", "base"
_POOLING = frozenset({Kind.AVERAGE_POOL, Kind.MAX_POOL})
_OVER_LAST_AXIS = frozenset({Kind.SOFTMAX, Kind.LOG_SOFTMAX})
"""Operations that go along the last axis where they are told none, as all of TensorFlow's do."""
_PADDING, _WINDOW = "padding", "kernel_size"
_FACTOR = "factor"
"""The number by which an operation multiplies what it adds."""
_SCALE, _DROPOUT = "scale", "dropout_p"
_WRITTEN_AGAIN = 6
"""So many operations that go on from a value are looked at for the one that is known to write a variable."""
_WALKED = 40
"""So many operations of a formula are looked at."""
_WRITTEN_OUT = 1e-9
"""A number of single precision that was written with ten digits is as near to itself; one in double is not."""
CONSTANT = "constant"
"""The name of a number of which no other is known."""


_Sizes = tuple[Sequence[int], Sequence[int]] | None
"""Of a convolution's input and kernel along the axes of space."""


class _Number(NamedTuple):
    name: str
    value: float


def attribute_differences(a: Apart, b: Apart, pair: Pair) -> tuple[AttributeDifference, ...]:
    """Tells the settings of which both operations have a value, and not the same, then a number that only one has."""
    return setting_differences(a, b, pair) or _unlike_number(a, b, pair)


def setting_differences(a: Apart, b: Apart, pair: Pair) -> tuple[AttributeDifference, ...]:
    """Tells the settings of which both operations have a value, and not the same."""
    if a.side.operation(pair.a).kind is Kind.PAD is b.side.operation(pair.b).kind:
        pair = replace(pair, a=padded_for(a, pair.a), b=padded_for(b, pair.b))
    given_a, given_b = settings_of(a, pair.a), settings_of(b, pair.b)
    one_framework = a.side.site(pair.a).framework == b.side.site(pair.b).framework
    if not one_framework:
        given_a, given_b = with_window(given_a), with_window(given_b)
    zeros = [_zeros(each, row, given) for each, row, given in ((a, pair.a, given_a), (b, pair.b, given_b))]
    put_around = any(each is not None for each in zeros)
    if (put_around or not one_framework) and _PADDING in given_a.keys() & given_b.keys():
        sizes = _sizes(a, b, pair)
        given_a, given_b = _with_padding(given_a, sizes, zeros[0]), _with_padding(given_b, sizes, zeros[1])
        given_a, given_b = _along_one_axis(given_a, given_b, sizes), _along_one_axis(given_b, given_a, sizes)
    if _is_one_axis((a, pair.a, given_a), (b, pair.b, given_b)):
        given_a = {name: value for name, value in given_a.items() if name != AXIS}
    found = [
        AttributeDifference(name, as_written(given_a[name]), as_written(given_b[name]))
        for name in sorted(given_a.keys() & given_b.keys())
        if given_a[name] != given_b[name] and (one_framework or _comparable(name, given_a[name], given_b[name]))
    ]  # fmt: skip
    return tuple(found)


def settings_of(apart: Apart, row: int) -> dict[str, object]:
    """Tells the settings of the operation that computed a value, by the names under which they are compared."""
    site, operation = apart.side.site(row), apart.side.operation(row)
    said = json.loads(site.attributes)
    found = {
        common_name(site.framework, name): value
        for name, value in said.items() if name not in _OF_TYPE | NOTES | _NO_SETTINGS
    }  # fmt: skip
    for name in _OF_SPACE & found.keys():
        found[name] = _spatial(found[name], said.get("data_format"))
    if operation.kind in _POOLING:
        found = complete_pooling(found)
    if _FACTOR in found and (kept := _kept_setting(apart, row)):
        found[kept] = found.pop(_FACTOR)
    if found.get(_PADDING) == "EXPLICIT":
        found[_PADDING] = _explicit(said.get("explicit_paddings"), said.get("data_format"))
    if operation.has(Trait.CONTRACTS) and operation.has(Trait.TAKES_MAXIMUM_AWAY):
        _complete_attention(found, apart, row)
    if operation.kind is Kind.LOG:
        found[_BASE] = base_of(site.op_type)
    if operation.kind is Kind.PAD:
        found[FILLED] = filled_in(apart.side, row)
    if operation.kind in _OVER_LAST_AXIS:
        found.setdefault(AXIS, -1)
    axis, rank = found.get(AXIS), _rank(apart, row)
    if isinstance(axis, int) and rank:
        found[AXIS] = axis % rank
    return found


def _complete_attention(settings: dict[str, object], apart: Apart, row: int) -> None:
    """Says the scale of an attention that is told none, and nothing of a dropout that drops nothing."""
    result = apart.side.shape(row)  # queries may lie in one value with keys, or their heads beside one another
    if result and result[-1] > 0:
        settings.setdefault(_SCALE, result[-1] ** -0.5)
    if not settings.get(_DROPOUT):
        settings.pop(_DROPOUT, None)


def _explicit(paddings: object, layout: object) -> object:
    """The zeros in front and behind along each axis of space, of a list with those of all axes."""
    if not isinstance(paddings, list) or not isinstance(layout, str) or len(paddings) != 2 * len(layout):
        return "EXPLICIT"
    return [paddings[2 * at : 2 * at + 2] for at, axis in enumerate(layout) if axis not in "NC"]


def _zeros(apart: Apart, row: int, given: dict[str, object]) -> Zeros | None:
    """What is put around the input of a convolution before it."""
    stride = given.get(_STRIDE)
    return zeros_before(apart.side, row, len(stride)) if isinstance(stride, list) else None


def _with_padding(given: dict[str, object], sizes: _Sizes, zeros: Zeros | None) -> dict[str, object]:
    """Says the padding of a convolution as numbers, with the zeros that are put around its input before it."""
    if not {_PADDING, _STRIDE} <= given.keys():
        return given
    said = around(given[_PADDING], given[_STRIDE], given.get(_DILATION), sizes)
    return {**given, _PADDING: with_zeros(said, zeros)}


def _along_one_axis(mine: dict[str, object], theirs: dict[str, object], sizes: _Sizes) -> dict[str, object]:
    """Leaves out an axis of space of size 1, which a framework puts in front where the other has none."""
    if sizes is None or sizes[0][0] != 1 or sizes[1][0] != 1:
        return mine
    shared = {name: (mine[name], theirs[name]) for name in (_OF_SPACE | {_PADDING}) & mine.keys() & theirs.keys()}
    longer = {
        name: value[1:] for name, (value, other) in shared.items()
        if isinstance(value, list) and isinstance(other, list) and len(value) == len(other) + 1
    }  # fmt: skip
    return {**mine, **longer}


def _sizes(a: Apart, b: Apart, pair: Pair) -> _Sizes:
    """The sizes of a convolution's input and kernel along the axes of space, as either run tells them."""
    rows = ((a.side, pair.a), (b.side, pair.b))
    if a.side.operation(pair.a).kind is not Kind.CONVOLUTION:
        return None
    given = [[side.shape(parent) or () for parent in side.edges.parents[row]] for side, row in rows]
    for (side, row), shapes in zip(rows, (given[0] + given[1], given[1] + given[0]), strict=True):
        layout = json.loads(side.site(row).attributes).get("data_format")
        found = spatial_sizes(side.shape(row) or (), shapes, layout) if isinstance(layout, str) else None
        if found is not None:
            return found
    return None


def _rank(apart: Apart, row: int) -> int:
    """The number of axes of the largest value that goes into an operation; 0 where it is not known."""
    side = apart.side
    parents = side.edges.parents[row]
    if not parents:
        return 0
    largest = max(parents, key=lambda parent: int(side.numbers.size[parent]))
    return len(side.shape(largest) or ())


def _is_one_axis(*both: tuple[Apart, int, dict[str, object]]) -> bool:
    """Tells whether axes of values with unlike ranks, as with and without a batch, are as far from the last."""
    ranks = [_rank(apart, row) for apart, row, _ in both]
    from_last = [rank - axis for rank, (*_, given) in zip(ranks, both, strict=True)
                 if isinstance(axis := given.get(AXIS), int)]  # fmt: skip
    return ranks[0] != ranks[1] and len(from_last) == len(both) and from_last[0] == from_last[1]


def _comparable(name: str, *values: object) -> bool:
    """Tells whether two frameworks write a setting alike: a number, or one number for each axis of space."""
    if name in _OF_FORM:
        return False
    if name == _BASE:
        return True
    lengths = {len(value) if isinstance(value, list) else 0 for value in values}
    if lengths == {0}:
        return all(isinstance(value, (int, float)) for value in values)
    return len(lengths) == 1 and name in _OF_SPACE | {_PADDING, _WINDOW}


def _spatial(value: object, layout: object) -> object:
    """The numbers of the axes of space: one framework has those of rows and channels too, at both ends or in front."""
    if not isinstance(value, list) or not isinstance(layout, str) or len(value) != len(layout):
        return value
    return [each for each, axis in zip(value, layout, strict=True) if axis not in "NC"]


def _unlike_number(a: Apart, b: Apart, pair: Pair) -> tuple[AttributeDifference, ...]:
    """The one number that A is given and B is not, beside the one of B.

    It is looked for among those of the two operations, then among those of all that each run computes for itself on the
    way to them. Optimizers of two frameworks have unlike formulas, so all numbers of the one are held against all of
    the other.
    """
    formulas = a.side.updates[pair.a] and b.side.updates[pair.b] and a.side.frameworks != b.side.frameworks
    for of in (_optimizer_numbers,) if formulas else (own_numbers, _formula_numbers):
        numbers_a, numbers_b = list(of(a, pair.a)), list(of(b, pair.b))
        left_a, left_b = _only(numbers_a, numbers_b), _only(numbers_b, numbers_a)
        if len(left_a) == len(left_b) == 1:
            name = next((each.name for each in (*left_a, *left_b) if each.name != CONSTANT), CONSTANT)
            return (AttributeDifference(name, as_written(left_a[0].value), as_written(left_b[0].value)),)
    return ()


def _only(mine: list[_Number], theirs: list[_Number]) -> list[_Number]:
    """The numbers that stand on one side alone, each once."""
    left: list[_Number] = []
    for each in mine:
        if not any(_near(each.value, other.value) for other in (*theirs, *left)):
            left.append(each)
    return left


def own_numbers(apart: Apart, row: int) -> Iterator[_Number]:
    """Tells the settings that are fractions, and the single numbers that an operation is given."""
    side = apart.side
    found = [(name, value) for name, value in settings_of(apart, row).items() if name not in _OF_STATE]
    constants = (
        (_name_of(apart, parent) or _kept_setting(apart, row) or CONSTANT, float(side.numbers.statistics[parent, LOW]))
        for parent in side.edges.parents[row] if side.numbers.size[parent] == 1 and not side.edges.parents[parent]
    )  # fmt: skip
    for name, value in (*found, *constants):
        if isinstance(value, float):  # an optimizer takes off a rate's share, or adds the share of its negative
            yield _Number(name, abs(value) if side.updates[row] else value)


def _name_of(apart: Apart, row: int) -> str:
    """The name of the variable that a single number was read of, such as a learning rate; empty where it was not."""
    reads = apart.side.site(row).reads
    variable = apart.side.program.variables.get(reads[0]) if len(reads) == 1 else None
    return "" if variable is None else variable.name.rpartition("/")[2].replace("_", " ")


def _kept_setting(apart: Apart, row: int) -> str:
    """The setting that a number is which goes into an operation that writes what an optimizer keeps; else empty."""
    multiplies = apart.side.operation(row).kind is Kind.MULTIPLY
    return setting_of_kept(_written_name(apart, row), multiplies=multiplies) if apart.side.updates[row] else ""


def _written_name(apart: Apart, row: int) -> str:
    """The name of the variable that an operation writes, or whose value is what it made.

    In its first step an optimizer has only begun to keep something, and its name is not known yet.
    """
    side = apart.side

    def gone_on_with(made: int) -> list[int]:
        return [each for each in side.edges.children[made] if side.edges.parents[each][0] == made]

    for each in reached(row, gone_on_with, _WRITTEN_AGAIN):
        touched = side.touched(each)
        if len(touched) == 1:
            return touched[0].name.rpartition("/")[2]
    return ""


def _formula_numbers(apart: Apart, row: int) -> Iterator[_Number]:
    around: Callable[[int], tuple[int, ...]] = apart.unknown_parents
    for each in reached(row, around, _WALKED):
        yield from own_numbers(apart, each)


def _optimizer_numbers(apart: Apart, row: int) -> Iterator[_Number]:
    """The numbers with which the optimizer computes all updates of a step, but those that change nothing."""
    numbers = numbers_of_updates(apart, int(apart.side.numbers.step[row]))
    return (number for number in numbers if number.value not in (0.0, 1.0))


def numbers_of_updates(apart: Apart, step: int) -> Iterator[_Number]:
    """Tells the numbers with which all updates of a step are computed."""
    updates = np.flatnonzero(apart.side.updates & (apart.side.numbers.step == step)).tolist()
    return (number for update in updates for number in own_numbers(apart, update))


def as_written(value: object) -> object:
    """Gives the shortest number that means the same: 1e-05, where the trace has what rounding to float32 left."""
    if not isinstance(value, float):
        return value
    rounded = np.float32(value)
    return float(str(rounded)) if abs(float(rounded) - value) <= _WRITTEN_OUT * abs(value) else float(f"{value:.14g}")


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b))
