"""`eval` (`ev`): arithmetic with tensors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from tensordbg.analysis.tensors.slices import parse_slice, take
from tensordbg.console.language.bounded_evaluation import evaluate_bounded
from tensordbg.console.language.functions import CONSTANTS
from tensordbg.console.names.tensors import find_tensor, typed_tensor
from tensordbg.console.options import all_option, run_option, write_option
from tensordbg.console.pages.page import Page, Span
from tensordbg.console.pages.tensor_page import Look, choose_event, elements_page, writable
from tensordbg.console.pages.writing import write_elements
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.console.console import Console

_NUMBERED = re.compile(r"(.+?)@(-?\d+)")


@click.command("eval", add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("expression", nargs=-1, required=True)
@all_option
@write_option
@run_option
@click.pass_obj
def command(console: Console, expression: tuple[str, ...], everything: bool, write_path: str, run: str) -> Page:
    """Compute with tensors, which stand in backticks: "np.sum(`Softmax:0`, axis=1)".

    There are names, numbers, arithmetic, comparisons, indexing, and functions of NumPy. Of a tensor that was computed
    several times the first that is not finite is taken, or else the last; `Log:0@3` takes number 3, from 0.
    """
    written = " ".join(expression)
    known: dict[str, str] = {}

    def named(match: re.Match[str]) -> str:
        name = f"tensor_{len(known)}"
        known[name] = match[1]
        return f"({name})"

    text = re.sub(r"`([^`]*)`", named, written)
    if "`" in text:
        raise UsageError(f"a backtick in {written!r} is left open; put another behind the tensor's name")

    def value(name: str) -> Any:
        if name in known:
            return _elements(console, known[name], run)
        if name in CONSTANTS:
            return CONSTANTS[name]
        raise UsageError(f"no name {name!r}; tensors stand in backticks, such as `Log:0`")

    try:
        result = evaluate_bounded(text, value)
    except UsageError as error:
        raise UsageError(_with_names(str(error), known)) from None
    array = writable(np.asarray(result))
    if array.dtype.kind == "O":
        raise UsageError(f"{written!r} gives no array of numbers; make its parts of one shape")
    if write_path:
        return write_elements(array, write_path)
    look = Look(everything=everything, most=console.settings.elements)
    head = [(Span(f"  dtype: {array.dtype}"),), (Span(f"  shape: {array.shape}"),)]
    return elements_page(f'Evaluation of "{written}":', array, look, head)


def _elements(console: Console, typed: str, run: str) -> Any:
    """The elements of a tensor by name.

    Raises:
        UsageError: If there is none, or its elements were not kept.
    """
    match = _NUMBERED.fullmatch(typed.strip())
    name = typed_tensor(console.opened, match[1] if match else typed)
    opened = console.opened
    chosen = find_tensor(opened, name, console.scope(run))
    number = choose_event(opened, chosen.events, int(match[2]) if match else None)
    array = opened.value(int(chosen.events[number]))
    return writable(take(array, parse_slice(name.part)) if name.part else array)


def _with_names(message: str, known: dict[str, str]) -> str:
    """The message with the tensors as they were typed."""
    return re.sub(r"\(?\b(tensor_\d+)\b\)?", lambda match: f"`{known.get(match[1], match[1])}`", message)
