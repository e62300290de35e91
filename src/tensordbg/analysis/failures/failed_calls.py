"""Which call of an input pipeline's function failed: several run at a time, and the message seldom says which it is of.

A kernel's message may have the shape, the size or the text that it was given. Where that fits several calls, all of
them are told, and only that of what they were given which all have in common.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.words import name_of
from tensordbg.analysis.failures.data_elements import (
    Refused,
    call_beginning,
    element_of,
    names_of_call,
    one_of_calls,
    one_of_elements,
)
from tensordbg.analysis.failures.in_python import is_of_python
from tensordbg.analysis.failures.pipeline import FailedElement
from tensordbg.analysis.finding import Beginning, InputView
from tensordbg.analysis.program.details import Details, function_name
from tensordbg.analysis.tensors.batch_origins import BatchOrigins
from tensordbg.model import NONE, StatedInput
from tensordbg.trace.program.facts import Failure
from tensordbg.trace.raw.small_elements import elements_text
from tensordbg.trace.raw.strings import DTYPE as STRINGS

_MOST_ELEMENTS = 16
_QUOTED = re.compile(r"\A(\[?)(['\"])(.*)\2(\]?)\Z", re.DOTALL)


def narrowed_down(failed: FailedElement, told: Failure, details: Details) -> FailedElement:
    """Leaves of the calls that the error may be of those whose inputs the message has, if it has those of any."""
    calls = [failed, *failed.others]
    if len(calls) > 1 and (raised := [each for each in calls if _raised_in_python(told, each, details)]):
        return replace(raised[0], others=raised[1:])
    if len(calls) == 1 or is_of_python(told.message):  # Python's words may be of anything
        return failed
    said = [sum(_is_said(told, made, details) for made in each.given) for each in calls]
    first, *others = (each for each, count in zip(calls, said, strict=True) if count == max(said))
    return replace(first, others=others)


def _raised_in_python(told: Failure, failed: FailedElement, details: Details) -> bool:
    """Whether a call of the Python function that raised may have been given what the operation took."""
    fitting = (each for each in told.python_calls if len(each) == len(failed.given))
    return any(all(map(partial(_may_be, told, details), failed.given, each)) for each in fitting)


def _may_be(told: Failure, details: Details, made: Made | None, stated: StatedInput) -> bool:
    """Whether a recorded tensor may be what a Python function was given."""
    if made is None or made.event == NONE:
        return True
    if (made.dtype, made.shape) != (stated.dtype, stated.shape):
        return False
    if made.shape == () and _is_one_number(made) and stated.elements:
        return _number(stated.elements) in (made.low, None)
    text = _small(told, made, details)
    return not text or not stated.elements or text == stated.elements


def _number(text: str) -> float | None:
    with contextlib.suppress(ValueError):
        return float({"True": "1", "False": "0"}.get(text, text))
    return None


def _is_said(told: Failure, made: Made | None, details: Details) -> bool:
    """Whether a message has the shape, the size or the text of an input."""
    if made is None or made.event == NONE:
        return False
    if made.dtype == STRINGS:
        text = _QUOTED.sub(r"\3", _small(told, made, details)).lstrip(".")
        return bool(text) and text in told.message
    if not made.shape:
        return False
    shape = f"[{','.join(map(str, made.shape))}]"
    return shape in told.message.replace(" ", "") or bool(re.search(rf"\b{made.size}\b", told.message))


def of_all(found: Iterable[Sequence[Beginning]]) -> tuple[Beginning, ...]:
    """Keeps what is found alike for each of several calls."""
    first, *others = found
    return tuple(each for each in first if all(each in other for other in others))


def in_common(inputs: tuple[InputView, ...], calls: Sequence[FailedElement]) -> tuple[InputView, ...]:
    """The inputs of one of several calls, with types and shapes alone, as far as all calls have the same."""
    if len(calls) == 1:
        return inputs
    given = zip(*(each.given for each in calls), strict=True)
    return tuple(_in_common(plain, made) for plain, made in zip(inputs, given, strict=True))


def _in_common(plain: InputView, made: Sequence[Made | None]) -> InputView:
    events = {each.event for each in made if each is not None}
    if len(events) == 1 and None not in made and events != {NONE}:
        return plain  # captured once, for all calls
    dtypes = {each.dtype for each in made if each is not None}
    shapes = {each.shape for each in made if each is not None}
    dtype = dtypes.pop() if len(dtypes) == 1 else ""
    shape = shapes.pop() if len(shapes) == 1 else None
    return InputView(plain.tensor, plain.op_type, None, dtype=dtype, shape=shape)


def call_of(told: Failure, failed: FailedElement, inputs: Sequence[InputView], details: Details) -> Sequence[Beginning]:
    """The element that the call was for which failed, or which call it was; of several that it may be all."""
    calls = [failed, *failed.others]
    batches = BatchOrigins(failed.trace, failed.past.values.program)
    texts = [each.elements for each in inputs]
    refused = [Refused(told.message, each.given, texts) for each in calls]
    if len(calls) == 1 and (known := element_of(batches, failed.past, refused[0])):
        return known
    names = [names_of_call(batches, failed.past, each) for each in refused]
    title = function_name(failed.past.values.program, failed.site)
    called = f"{title}()" if title.isidentifier() else title
    if len(calls) > 1 and all(names):
        return [one_of_elements(names, called)]
    if any(each.call == NONE for each in calls):
        return []
    given = [_arguments(told, each, details) for each in calls]
    return [one_of_calls(given, called) if len(calls) > 1 else call_beginning(failed, called, given[0])]


def _arguments(told: Failure, failed: FailedElement, details: Details) -> list[tuple[str, str]]:
    return [(name_of(each), _small(told, each, details)) for each in failed.arguments]


def _small(told: Failure, argument: Made, details: Details) -> str:
    """What a small argument held, also the end of a text; empty where that was not kept."""
    array = details.elements(argument.event)
    if array is not None:
        return elements_text(array) if array.size <= _MOST_ELEMENTS else ""
    if argument.shape == () and _is_one_number(argument):
        return f"{argument.low:g}"
    view = details.views([argument.event])[argument.event]
    (time,) = details.times(np.array([argument.event], dtype=np.int64)).tolist()
    return told.elements.get((time, view.site, view.slot), "")


def _is_one_number(made: Made) -> bool:
    """Whether all elements are one number; of strings their lengths are known."""
    return made.low == made.high and made.dtype != STRINGS
