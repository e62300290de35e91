"""Words on a place at which two runs part, and those that several kinds of places share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from tensordbg.advice.lookup import fix
from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.normalization import PARTS, PLACE
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.finding import SourceLine


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


OPTIMIZER = "optimizer"
"""The attribute that tells which kind of optimizer it is."""

CLIPPING, NO_CLIPPING = "clipping", "none"
"""The attribute that tells how gradients are clipped, and what it is where they are not."""

DECAY, PLACE_OF_RATE = "place of the decay", "place of the learning rate"
_FORMS = {PLACE: "add the epsilon", DECAY: "have the decay", PLACE_OF_RATE: "multiply by the rate that changes"}
"""Attributes that tell a form and no number, with what has to be done for it."""

SUGGESTIONS = {
    "parameter": "load the values of A into B, transposed where the table of parameters says so",
    "input": "feed both runs the same batch: compare what prepares it, its normalisation and the order of its rows",
    "random": fix("", "unlike_randomness"),
    "update": "compare the settings of the two optimizers: learning rate, momentum (Nesterov's or not), betas, "
    "weight decay, epsilon, clipping",
    "unlike updates": "compare the settings of the two optimizers: learning rate, momentum or betas, decay, clipping; "
    "and where they add the epsilon, as Keras's Adam does before it corrects the bias and its RMSprop below the root",
    "order": "compare how the elements of what goes in lie: a weight that is not transposed, gates, heads or channels "
    "in another order (BGR for RGB), a reshape in place of a transposition, a padding on the left or on the right",
    "mask": "compare the two masks: inverted, of another axis, later by one, true for what is kept or for what is not",
    "statistics": "compare the momentum of the two normalizations, which Keras takes as 1 less that of PyTorch, and "
    "the variance that they keep: PyTorch divides by a batch's number of values less 1",
}


def of_rows(pair: Pair, kind: str, text: str, suggestion: str) -> Explained:
    """Puts words on the two values of a pair, made there, with no attribute that differs."""
    return Explained(kind, pair.a, pair.b, pair.distance, True, (), text, suggestion)


def made_by(apart: Apart, row: int) -> str:
    """Tells the operation that made a value, and its line."""
    site = apart.side.site(row)
    line = apart.side.own_line(site)
    return site.op_type + ("" if line is None else f" ({place_of(line)})")


def place_of(line: SourceLine) -> str:
    """Tells a line by its file, without the folder, and its number: `model.py:7`."""
    return f"{PurePath(line.file).name}:{line.line}"


def types_of(apart: Apart, rows: tuple[int, ...]) -> str:
    """The types of the operations of some values, each once."""
    return ", ".join(dict.fromkeys(apart.side.site(row).op_type for row in rows))


def attributes_text(difference: tuple[AttributeDifference, ...]) -> str:
    """Tells what differs: `epsilon is 0.001 in A and 1e-05 in B`."""
    return "; ".join(f"{each.attribute} is {each.a} in A and {each.b} in B" for each in difference)


def settings_to_set(difference: tuple[AttributeDifference, ...]) -> str:
    """Tells what to set in B, or which optimizer to use."""
    kinds = [f"use {each.a} in B" for each in difference if each.attribute == OPTIMIZER]
    forms = [f"{_FORMS[each.attribute]} {each.a} in B" for each in difference if each.attribute in _FORMS]
    forms += [_clipping_to_set(each) for each in difference if each.attribute == CLIPPING]
    difference = tuple(each for each in difference if each.attribute not in (OPTIMIZER, CLIPPING, *_FORMS))
    if any(each.attribute == PARTS for each in (*difference,)):
        forms.append("compare the number of groups and the axes that a mean is taken of")
    difference = tuple(each for each in difference if each.attribute != PARTS)
    values = [f"set {', '.join(f'{each.attribute} to {each.a}' for each in difference)} in B"] if difference else []
    *first, last = (*kinds, *values, *forms)
    text = f"{', '.join(first)}, and {last}" if first else last
    uneven = any(
        each.attribute == "padding" and isinstance(each.a, list)
        and any(isinstance(pair, list) and len(set(pair)) > 1 for pair in each.a)
        for each in difference
    )  # fmt: skip
    return text + ("; unlike in front and behind, it is put around the input before" if uneven else "")


def _clipping_to_set(difference: AttributeDifference) -> str:
    """Tells how to clip gradients alike, where it may be that only one run does."""
    if difference.a == NO_CLIPPING:
        return "clip in both runs alike: A does not, so leave it out in B"
    return f"clip in both runs alike: {difference.a} in B"
