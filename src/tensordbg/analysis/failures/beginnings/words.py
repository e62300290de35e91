"""The beginnings of what did not fit in words, with the shapes, types and numbers of the case."""

from __future__ import annotations

from collections.abc import Sequence

from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.shapes import Emergence, met
from tensordbg.analysis.program.operations import INPUT
from tensordbg.analysis.program.python_names import noted_in
from tensordbg.enumeration import first_few
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait
from tensordbg.trace.raw.strings import DTYPE as STRINGS

_MOST = 4


def of_shape(turn: Emergence) -> str:
    """`Reshape:0 made [16, 8] of [32, 4]`."""
    made, shape = turn.made, shape_text(turn.made.shape)
    if not turn.given or made.operation.kind is Kind.ARGUMENT:
        return _of_source(made, shape)
    told = _listed([shape_text(each.shape) for each in turn.given])
    if met(made, turn.given):
        return f"{_name(made)} spread {told} over each other, which gave {shape}"
    if made.operation.kind is Kind.WHERE:
        return f"{_name(made)} chose {made.shape[0] if made.shape else 0} out of {told}"
    return f"{_name(made)} made {shape} of {told}"


def of_dtype(turn: Emergence) -> str:
    """`Cast:0 made float64 of float32`."""
    if not turn.given:
        return _of_source(turn.made, turn.made.dtype)
    return f"{_name(turn.made)} made {turn.made.dtype} of {turn.given[0].dtype}"


def of_number(turn: Emergence, number: int) -> str:
    """`Mul:0 made 14 of 1 to 7 and 2`."""
    if not turn.given:
        return _of_source(turn.made, f"{number} among its numbers")
    return f"{_name(turn.made)} made {number} of {_listed([numbers_text(each) for each in turn.given])}"


def of_numbers(turn: Emergence) -> str:
    """`Sum:0 made 3 of 1 to 2`."""
    told = numbers_text(turn.made)
    if not turn.given:
        return _of_source(turn.made, told)
    return f"{_name(turn.made)} made {told} of {_listed([numbers_text(each) for each in turn.given])}"


def of_wrap(turn: Emergence) -> str:
    """`AddV2:0 of uint8 went round: 200 and 100 gave 44`."""
    told = _listed([numbers_text(each) for each in turn.given])
    return f"{_name(turn.made)} of {turn.made.dtype} went round: {told} gave {numbers_text(turn.made)}"


def shape_text(shape: Sequence[int] | None) -> str:
    """A shape as a list; dimensions that are not known are question marks."""
    return "a shape that is not known" if shape is None else f"[{', '.join('?' if d < 0 else str(d) for d in shape)}]"


def numbers_text(made: Made) -> str:
    """The number, or the smallest and the largest."""
    if made.low is None or made.high is None:
        return made.tensor
    told = f"{made.low:.9g}" if made.low == made.high else f"{made.low:.9g} to {made.high:.9g}"
    return f"strings of {told} bytes" if made.dtype == STRINGS else told  # what is measured of them


def name_of(made: Made) -> str:
    """The name of a tensor: that of an argument as the function has it, `index`, where a dataset calls it `args_0`."""
    slot = int(made.tensor.rpartition(":")[2] or 0) if ":" in made.tensor else 0
    named = noted_in(made.attributes)[slot : slot + 1] if made.operation.kind is Kind.ARGUMENT else []
    return named[0][0] if named and named[0] else made.tensor


def _of_source(made: Made, what: str) -> str:
    if made.op_type == INPUT:
        return f"{made.called or 'it'} came in from Python with {what}"
    if made.operation.has(Trait.FROM_PIPELINE):
        before = f"; before, it gave {shape_text(made.earlier[-1])}" if made.earlier else ""
        return f"{_name(made)} took it out of the input pipeline with {what}{before}"
    if made.operation.kind is Kind.ARGUMENT:
        return f"the argument {name_of(made).partition(':')[0]} was given with {what}"
    if made.operation.has(Trait.READS):
        return f"the variable that {_name(made)} read holds {what}"
    return f"{_name(made)} made {what}"


def _name(made: Made) -> str:
    return f"{made.tensor} in layer {made.layer}" if made.layer else made.tensor


def _listed(words: Sequence[str]) -> str:
    if len(words) > _MOST:
        return first_few(words, _MOST)
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
