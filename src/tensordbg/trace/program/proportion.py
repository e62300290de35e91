"""Whether the numbers of what describes a program are in proportion: the analysis has a place for each up to the last.

A process numbers what it consists of once for all of its traces, so the numbers of one need not begin at 0. But there
can't be billions of them.
"""

from __future__ import annotations

from collections.abc import Iterable

from tensordbg.model import Function, Site, TensorRef

MOST_NUMBERS = 2**21
"""So many sites, functions or variables a process may have had before: they would take gigabytes in it."""

MOST_SLOTS = 2**16
"""An operation has fewer outputs: the number of one is kept in 16 bits."""


def most_numbers(lines: int) -> int:
    """The number that all of a kind stay below, of which the trace has so many lines or rows."""
    return MOST_NUMBERS + 4 * lines


def is_in_proportion(value: object, most: int) -> bool:
    """Whether all numbers in a site or function stay below a limit; of other things none is the place of anything."""
    if isinstance(value, Site):
        own = (value.site, value.function, value.stack, value.argument, value.gradient_of)
        return max(*own, *value.reads, *value.writes) < most and _are_small(value.inputs, most)
    if isinstance(value, Function):
        single = (value.function, value.graph, value.stack)
        return max(*single, *value.arguments, *value.captures) < most and _are_small(value.outputs, most)
    return True


def _are_small(references: Iterable[TensorRef], most: int) -> bool:
    return all(each.site < most and each.slot < MOST_SLOTS for each in references)
