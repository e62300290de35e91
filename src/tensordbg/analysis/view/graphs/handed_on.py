"""Bad tensors under other names: results of calls, arguments and identities, which the runtime often leaves out."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tensordbg.analysis.program.call_tree import CallTree
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.view.graphs.wires import Wire
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind

Tensor = tuple[str, int]
"""Key of an operation, and slot."""


def handed_on(
    tree: CallTree, wires: Iterable[Wire], bad: Collection[Tensor], recorded: Collection[str]
) -> frozenset[Tensor]:
    """The bad tensors, with those that are the same without having been recorded themselves.

    Args:
        tree: The graph, all of whose calls are opened.
        wires: All that flows in it.
        bad: The tensors that were recorded and are not finite.
        recorded: The operations of which something was recorded.
    """
    opened = tree.opened
    next_ones: dict[Tensor, list[Tensor]] = {}
    for wire in wires:
        site = tree.instances[wire.target].site
        if wire.target in opened:
            # Into an opened call leads what it gives back.
            next_ones.setdefault((wire.source, wire.slot), []).append((wire.target, wire.position))
        elif wire.target not in recorded and (operation_of(site).kind is Kind.IDENTITY or site.argument != NONE):
            next_ones.setdefault((wire.source, wire.slot), []).append((wire.target, 0))
    found, left = set(bad), list(bad)
    while left:
        for tensor in next_ones.get(left.pop(), ()):
            if tensor not in found:
                found.add(tensor)
                left.append(tensor)
    return frozenset(found)
