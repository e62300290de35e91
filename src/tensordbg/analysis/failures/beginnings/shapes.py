"""Where a dimension came from that did not fit: the walk back to the operation that put out a size it was not given.

Sizes are followed, not what operations mean: a dimension goes on to the input that has the same size at the same
position, counted from the front, or from behind where the number of dimensions is another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tensordbg.analysis.failures.beginnings.made import Made, Past, steps
from tensordbg.analysis.program.operations import named
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

Shape = tuple[int, ...]

_PRODUCTS = frozenset({Kind.CONVOLUTION, Kind.MATMUL})
"""Their last dimension is that of input 1, the kernel."""

_OF_AXIS = re.compile(
    r"(?:expected axis (-?\d+) of input shape to have value|dimension (-?\d+) must have size) (\d+)"
    r"(?:.*, shape \(([\d, ]*)\))?"
)
_WANTED = (
    (1, re.compile(r"expected input\[[\d, ]+\] to have (\d+) channels")),
    (-1, re.compile(r"normalized_shape=\[(?:\d+, )*(\d+)\], expected input with shape")),
    (1, re.compile(r"(?:running_mean|running_var|weight) should contain \d+ elements not (\d+)")),
    (-1, re.compile(r"(?:must be equal to input_size\. |input's last dimension to be )Expected (\d+), got")),
)
"""Which dimension, and the sentence that says how large it should be."""
_OF_ROWS = re.compile(r"same shape up until the last dimension|same first dimension|first dimension|batch_size")
"""Of dimensions that are compared from the front."""
_OF_RANK = re.compile(r"\brank \(ndim\)")
"""Of how many dimensions there are, whatever their sizes, as Keras's losses say it."""
_OF_VALUES = re.compile(r"found invalid values")
"""Of what a tensor holds, whatever its shape, which is told besides."""
_OF_BOTH = re.compile(r"Dimension (\d+) in both shapes must be equal")
_OF_LOOP = re.compile(r"has shape \(([\d, ]*)\) before the loop, but shape \(([\d, ]*)\) after one iteration")
_OF_UNKNOWN_SIZE = re.compile(r"Failed to convert elements of [\[(](?:[^\])]*\W)?None\b")
"""Of a size that was asked of a shape while a function was traced, where it is not known."""
_OF_SHAPES = re.compile(r"shape|dimension|\brank\b|size|batch|\bvalues\b|\bndim\b", re.IGNORECASE)


@dataclass(frozen=True)
class Odd:
    """The dimension of one input that does not fit, or its shape as a whole."""

    position: int
    """Which input."""
    axis: int | None
    """The dimension, from the front; None for the shape as a whole."""
    wanted: int | None = None
    """The size that would have fitted, where that is known."""
    rank: int | None = None
    """How many dimensions the other input has, where there is one."""


@dataclass(frozen=True)
class Emergence:
    """Where a shape came into being."""

    made: Made
    given: tuple[Made, ...]
    """What it was made of; empty for what was made of no tensor that tells its shape."""


def odds(op_type: str, message: str, given: Sequence[Shape | None]) -> list[Odd]:
    """Finds the inputs of an operation whose shapes don't fit together; empty where its error is not of shapes."""
    tensors = [(k, shape) for k, shape in enumerate(given) if shape]
    if (told := _of_words(message, tensors)) is not None:
        return told
    if (loop := _OF_LOOP.search(message)) is not None:
        return _of_loop(tensors, _shape_of(loop[1]), _shape_of(loop[2]))
    if _OF_UNKNOWN_SIZE.search(message):
        return [Odd(k, shape.index(-1)) for k, shape in tensors if -1 in shape][:1]
    if not _OF_SHAPES.search(message) or _OF_VALUES.search(message):
        return []
    operation = named(op_type)
    kind = operation.kind
    if kind is Kind.MATMUL:
        return _of_product(given)
    if kind is Kind.RESHAPE or operation.has(Trait.SHAPED_BY_NUMBERS):
        return [Odd(k, None) for k, _ in tensors[:1]]  # what else it takes is numbers
    if (stated := _OF_AXIS.search(message)) is not None:
        meant = [(k, shape) for k, shape in tensors if stated[4] is None or shape == _shape_of(stated[4])]
        return _of_axis(meant, int(stated[1] or stated[2]), int(stated[3]))
    if kind in (Kind.CONCATENATE, Kind.PACK):
        differing = _OF_BOTH.search(message)
        return _of_concatenation(tensors, None if differing is None else int(differing[1]))
    return _of_two(message, tensors) or [Odd(k, None) for k, _ in tensors[:1]]


def asked_for(position: int, word: str, shape: Shape | None) -> list[Odd]:
    """The dimension of an input that is asked for by its number, and its shape as a whole: that may be newer."""
    rank = len(shape or ())
    axis = int(word) if word.lstrip("-").isdigit() else rank
    return [*([Odd(position, axis % rank)] if -rank <= axis < rank else []), Odd(position, None)]


def _of_two(message: str, tensors: list[tuple[int, Shape]]) -> list[Odd]:
    """The dimensions in which two tensors don't fit; nothing where it is their number that does not."""
    if len(tensors) != 2 or (_OF_RANK.search(message) and len(tensors[0][1]) != len(tensors[1][1])):
        return []
    return _of_rows(*tensors) if _OF_ROWS.search(message) else _of_broadcast(*tensors)


def _of_words(message: str, tensors: list[tuple[int, Shape]]) -> list[Odd] | None:
    """The dimension of which PyTorch says in one of its sentences what it should be; None where it says none."""
    for axis, sentence in _WANTED:
        if (stated := sentence.search(message)) is not None:
            return _of_axis(tensors, axis, int(stated[1]))
    return None


def _of_loop(tensors: list[tuple[int, Shape]], before: Shape, behind: Shape) -> list[Odd]:
    """The state of a loop as an iteration left it, of another shape than it had: by the first size that is another."""
    differing = [k for k, sizes in enumerate(zip(before, behind, strict=False)) if sizes[0] != sizes[1]]
    axis = differing[0] if differing and len(before) == len(behind) else None
    wanted = None if axis is None else before[axis]
    return [Odd(k, axis, wanted) for k, shape in tensors if shape == behind][-1:]


def _of_axis(tensors: list[tuple[int, Shape]], axis: int, size: int) -> list[Odd]:
    """A dimension that a message names, of the first input that has another size there."""
    for k, shape in tensors:
        if -len(shape) <= axis < len(shape) and shape[axis] not in (size, -1):
            return [Odd(k, axis % len(shape), size)]
    return []


def _shape_of(words: str) -> Shape:
    return tuple(int(dim) for dim in words.replace(" ", "").split(",") if dim)


def _of_product(given: Sequence[Shape | None]) -> list[Odd]:
    at = max(0, len(given) - 2)  # what is added to the product stands before
    first, second = (*given[at:], None, None)[:2]
    if (
        not first
        or not second
        or len(first) < 2
        or len(second) < 2
        or first[-1] == second[-2]
        or -1 in (first[-1], second[-2])
    ):
        return []
    return [Odd(at, len(first) - 1, second[-2]), Odd(at + 1, len(second) - 2, first[-1])]


def _of_concatenation(tensors: list[tuple[int, Shape]], axis: int | None) -> list[Odd]:
    if len(tensors) < 2:
        return []
    (a, first), *rest = tensors
    for b, second in rest:
        if len(first) != len(second):
            return [Odd(a, None), Odd(b, None)]
        other = [k for k in range(len(first)) if first[k] != second[k]]
        if axis in other:  # the message names it
            return [Odd(a, axis, second[axis]), Odd(b, axis, first[axis])]
        if len(other) > 1:  # one of them may differ: the one along which they are put together
            return [Odd(a, None), Odd(b, None)]
        if other and second[other[0]] >= 0:
            found = [Odd(a, other[0], second[other[0]]), Odd(b, other[0], first[other[0]])]
            if all(len(shape) == len(first) for _, shape in tensors):
                return found
    return []


def _of_rows(one: tuple[int, Shape], other: tuple[int, Shape]) -> list[Odd]:
    """The first pair of dimensions, from the front, that are not of one size."""
    (a, first), (b, second) = one, other
    for axis, sizes in enumerate(zip(first, second, strict=False)):
        if sizes[0] != sizes[1] and -1 not in sizes:
            return [Odd(a, axis, sizes[1], len(second)), Odd(b, axis, sizes[0], len(first))]
    return []


def _of_broadcast(one: tuple[int, Shape], other: tuple[int, Shape]) -> list[Odd]:
    """The first pair of dimensions, from behind, of which neither is the other's size nor 1."""
    (a, first), (b, second) = one, other
    for back in range(1, min(len(first), len(second)) + 1):
        if first[-back] != second[-back] and not {1, -1} & {first[-back], second[-back]}:
            return [
                Odd(a, len(first) - back, second[-back], len(second)),
                Odd(b, len(second) - back, first[-back], len(first)),
            ]
    return []


def beginning_of(past: Past, made: Made, odd: Odd) -> Emergence | None:
    """The operation that made a dimension what it is, or the whole shape; None where that is not known."""
    axis = odd.axis
    for _ in steps():
        inputs = past.inputs(made)
        if axis is None:
            before = _same_shape(made, inputs)
        else:
            before, axis = _carrying(made, axis, inputs, odd)
        if before is None:
            return _emergence(made, inputs)
        if before.source is None and made.source is not None:  # a parameter: no line of the program's made it
            return None if made.operation.has(Trait.REARRANGES) else _emergence(made, inputs)
        made = before
    return None


def _emergence(made: Made, inputs: Sequence[Made | None]) -> Emergence | None:
    if made.operation.has(Trait.SHAPED_BY_NUMBERS, Trait.FROM_PIPELINE, Trait.READS):
        return Emergence(made, ())
    known = tuple(each for each in inputs if each is not None and each.shape)
    # An operation's axes and the like are whole numbers, what it works on is mostly of the type that it gives.
    alike = tuple(each for each in known if each.dtype == made.dtype)
    if not known and any(each is None or each.shape is None for each in inputs):
        return None
    return Emergence(made, alike or known)


def _same_shape(made: Made, inputs: Sequence[Made | None]) -> Made | None:
    if made.operation.has(Trait.SHAPED_BY_NUMBERS):
        return None
    if made.operation.has(Trait.FROM_PIPELINE):  # a batch of it
        return next((each for each in inputs if each is not None and _is_batch_of(made.shape, each.shape)), None)
    return next((each for each in inputs if each is not None and each.shape and each.shape == made.shape), None)


def _is_batch_of(batch: Shape | None, whole: Shape | None) -> bool:
    """Whether rows of one shape may be rows of the other."""
    return bool(batch and whole) and batch is not None and whole is not None and batch[1:] == whole[1:]


def _carrying(made: Made, axis: int, inputs: Sequence[Made | None], odd: Odd) -> tuple[Made | None, int | None]:
    """The input that has the dimension already, and which of its dimensions that is."""
    shape = made.shape
    if shape is None or not 0 <= axis < len(shape) or made.operation.has(Trait.SHAPED_BY_NUMBERS):
        return None, None
    known = [each for each in inputs if each is not None and each.shape]
    if (odd.wanted == 1 or (odd.rank is not None and odd.rank != len(shape))) and met(made, known):
        return None, None
    if made.operation.has(Trait.CHANNELS_FIRST) and axis == 1:
        return None, None
    if made.operation.kind in _PRODUCTS and axis == len(shape) - 1 and not made.operation.has(Trait.CHANNELS_FIRST):
        at = max(1, len(inputs) - 1) if made.operation.kind is Kind.MATMUL else 1
        known = [each for each in inputs[at : at + 1] if each is not None and each.shape]
    if made.operation.kind is Kind.TRANSPOSE:
        return _transposed(shape[axis], known)
    for each in known:
        own = each.shape or ()
        if shape[axis] == 1 and len(own) != len(shape) and not made.operation.has(Trait.ELEMENT_BY_ELEMENT):
            continue  # so many dimensions are 1 that this may be any
        from_front = len(own) == len(shape) or (axis == 0 and not made.operation.has(Trait.ELEMENT_BY_ELEMENT))
        position = axis if from_front else axis - len(shape) + len(own)
        if 0 <= position < len(own) and own[position] == shape[axis]:
            return each, position
    return None, None


def _transposed(size: int, known: Sequence[Made]) -> tuple[Made | None, int | None]:
    """Where a dimension was before the dimensions changed their places, as far as its size tells."""
    places = [k for k, dim in enumerate(known[0].shape or ()) if dim == size] if known else []
    return (known[0], places[0]) if len(places) == 1 else (None, None)


def met(made: Made, inputs: Sequence[Made]) -> bool:
    """Whether two tensors were both spread over each other: `[32, 1]` and `[32]` gave `[32, 32]`."""
    shapes = [shape for each in inputs if (shape := each.shape)]
    if len(shapes) != 2 or made.shape is None or made.shape in shapes:
        return False
    first, second = ((1,) * (len(made.shape) - len(shape)) + shape for shape in shapes)
    if not len(first) == len(second) == len(made.shape):
        return False
    return all(
        size == max(a, b) and (a == b or 1 in (a, b)) for size, a, b in zip(made.shape, first, second, strict=True)
    )
