"""The error that ended a program in one sentence: what raised, where, what it said, and what it was given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.numbers import out_of_range, refused
from tensordbg.analysis.finding import InputView, LoopIteration, ProgramFailure

_OF_PIPELINE = re.compile(r"^Error in user-defined function passed to \S+ transformation with iterator: \S+: ")
_ABOUT_A_CALL = re.compile(
    r"^(?:\w+: )?Exception encountered when calling [^\n]*\n\s*"
    r"(?:Could not automatically infer the output shape.*?Error encountered:\s*)?",
    re.DOTALL,
)
"""What Keras writes before the message itself."""
_LONGEST_SAID = 200
_LONGEST_ELEMENTS = 80
_MOST_INPUTS = 3
_DATA = ("bfloat", "complex", "float")
_OF_NUMBERS = ("value", "wrapped")


def failure_lead(failure: ProgramFailure) -> str:
    """`raised InvalidArgumentError in GatherV2, train.py:4: index 14 is not in [0, 10); its input Mul:0 is [2, 14]`."""
    said = message_of_one_line(failure.message).removeprefix(f"{failure.error}: ")
    given = inputs_sentence(failure)
    parts = [f"{_raised(failure)}: {said}" if said else _raised(failure), *([given] if given else [])]
    return "; ".join(parts)


def message_and_inputs(failure: ProgramFailure) -> str:
    """All that the error said, and what the operation was given where it does not say so: for below its name."""
    said = _ABOUT_A_CALL.sub("", failure.message).strip().removeprefix(f"{failure.error}: ")
    given = inputs_sentence(failure)
    loops = iterations_of(failure.loops)
    said = "; ".join(filter(None, (said.rstrip(".:"), given))) if given else said
    return f"{said.rstrip('.')}; in {', '.join(loops)}" if loops else said


def iterations_of(loops: Sequence[LoopIteration]) -> list[str]:
    """`iteration 2` of one loop, `iteration 2 of the loop at line 5`, `iteration 7 of that at line 8` of several."""
    if len(loops) == 1:
        return [f"iteration {loops[0].iteration}"]
    called = ["the loop", *["that"] * (len(loops) - 1)]
    return [
        f"iteration {each.iteration} of {loop}" + (f" at line {each.source.line}" if each.source is not None else "")
        for each, loop in zip(loops, called[: len(loops)], strict=True)
    ]


def message_of_one_line(message: str) -> str:
    """The first line of a message, as far as there is room in a sentence."""
    message = _ABOUT_A_CALL.sub("", message.lstrip())
    first = next((" ".join(line.split()) for line in message.splitlines() if line.strip()), "")
    first = _OF_PIPELINE.sub("", first)
    if len(first) > _LONGEST_SAID:
        return f"{first[:_LONGEST_SAID].rpartition(' ')[0]} ..."
    return first.rstrip(".:")


def inputs_sentence(failure: ProgramFailure) -> str:
    """`its input Mul:0 is [2, 4, 14]`: what did not fit, as far as it is known and the message does not tell it."""
    matter = _that_matter(failure)
    of_type = bool(failure.beginnings) and all(each.what == "dtype" for each in failure.beginnings)
    told = [(each.tensor, _elements_or_type(each, alone=len(matter) == 1, of_type=of_type)) for each in matter]
    unsaid = [(name, text) for name, text in told if text and not _says(failure.message, text)]
    if not unsaid:
        return ""
    if len(told) == 1:
        return f"its input {unsaid[0][0]} is {unsaid[0][1]}"
    words = [f"{name} {text}" for name, text in told if text][:_MOST_INPUTS]
    if len(words) == 1:
        return f"its input {unsaid[0][0]} is {unsaid[0][1]}"
    return f"its inputs are {' and '.join(filter(None, (', '.join(words[:-1]), words[-1])))}"


def _raised(failure: ProgramFailure) -> str:
    subject = f"{failure.process} raised" if failure.process else "raised"
    place = f", {failure.source.place}" if failure.source is not None else ""
    return f"{subject} {failure_name(failure)}{place}"


def failure_name(failure: ProgramFailure) -> str:
    """`InvalidArgumentError in GatherV2`, or the layer where the error is of no operation."""
    layer = f" in layer {failure.layer}" if failure.layer else ""
    return f"{failure.error}{f' in {failure.op_name}' if failure.op_name else layer}"


def _that_matter(failure: ProgramFailure) -> Sequence[InputView]:
    """The inputs that the error is of: those that hold a number out of range, else all."""
    made = [_made(k, each) for k, each in enumerate(failure.inputs)]
    wrong = out_of_range(failure.message, made)
    if wrong is not None and (places := refused(made, wrong, failure.op_type)):
        return [failure.inputs[k] for k in places[:1]]
    names = {each.given for each in failure.beginnings if each.what in _OF_NUMBERS}
    return [each for each in failure.inputs if each.tensor in names] or failure.inputs


def _made(number: int, given: InputView) -> Made:
    view = given.recorded
    health = None if view is None else view.health
    return Made(
        key=number,
        tensor=given.tensor,
        op_type=given.op_type,
        dtype=given.dtype if view is None else view.dtype,
        shape=given.shape if view is None else view.shape,
        source=None,
        low=None if health is None else health.min,
        high=None if health is None else health.max,
    )


def _elements_or_type(given: InputView, *, alone: bool, of_type: bool) -> str:
    """The elements, of what is no data alone: shapes, indices, conditions; else, or if the error is of it, the type."""
    view = given.recorded
    dtype, shape = (given.dtype, given.shape) if view is None else (view.dtype, view.shape)
    if (
        not of_type
        and given.elements
        and len(given.elements) <= _LONGEST_ELEMENTS
        and (alone or not dtype.startswith(_DATA))
    ):
        return given.elements
    return "".join(_type(dtype, shape)) if dtype else ""


def _type(dtype: str, shape: Sequence[int] | None) -> Iterator[str]:
    yield dtype
    if shape is not None:
        yield f"[{', '.join('?' if dim < 0 else str(dim) for dim in shape)}]"


def _says(message: str, text: str) -> bool:
    """Whether a message has a shape or elements already."""
    told = text[text.find("[") :].replace(" ", "")
    plain = message.translate({ord(" "): None, ord("("): "[", ord(")"): "]"}).replace(",]", "]")
    return len(told) > len("[]") and told in plain
