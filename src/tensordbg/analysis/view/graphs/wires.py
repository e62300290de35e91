"""Wires between the operations of a graph some of whose calls are opened: from which output to which input."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tensordbg.analysis.program.call_tree import CallTree, Instance
from tensordbg.model import CallKind


@dataclass(frozen=True)
class Wire:
    """A tensor from one operation to another."""

    source: str
    slot: int
    target: str
    position: int
    """Which input of the target; of an opened call which of its results."""


def wires_between(tree: CallTree) -> list[Wire]:
    """All wires of a graph.

    What goes into an opened call goes to the arguments inside, and its results come from inside.
    """
    opened = tree.opened
    wires = (wire for instance in tree.instances.values() for wire in _into(tree, instance, opened))
    return [wire for wire in dict.fromkeys(wires) if wire.source in tree.instances]


def _into(tree: CallTree, instance: Instance, opened: Collection[str]) -> Iterator[Wire]:
    inputs = tree.inputs(instance)
    given = tree.passed_argument(instance)
    if given is not None:
        inputs = [given]
    elif instance.key in opened:
        for position, key, slot in tree.results_inside(instance):
            yield Wire(key, slot, instance.key, position)
        # Only what decides on a branch does not go inside.
        inputs = inputs[:1] if instance.site.call is CallKind.IF else []
    for position, (key, slot) in enumerate(inputs):
        yield Wire(key, slot, instance.key, position)
