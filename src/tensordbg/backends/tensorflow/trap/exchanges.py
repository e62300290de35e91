"""Tensors that a step gets from other processes, such as the sum of all gradients: tested and kept too.

A bad number in one worker's batch is in every worker's sum. If each tests the sum, all stop at the same step, and none
waits for another that has ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.collective_nodes import from_outside, parties
from tensordbg.backends.tensorflow.functions.graphs import Description
from tensordbg.recording.catalog import CATALOG
from tensordbg.trapping.targets import GRADIENT, REDUCED, TrapTarget


def received(definition: Any, late: Iterable[str]) -> list[tuple[str, fd.Output]]:
    """The tensors that come from other processes: the node's name and the output.

    Args:
        definition: The FunctionDef.
        late: Names of nodes that wait for the trap; what comes behind them can't be given to it.
    """
    found = from_outside(parties(definition))
    behind = fd.nodes_after(definition, late) if found else set()
    return [(each.node.name, each.output) for each in found if each.node.name not in behind]


def reduced_gradients(
    definition: Any, described: Description, tested: Sequence[tuple[str, int, TrapTarget]], late: Iterable[str]
) -> list[tuple[str, int, TrapTarget]]:
    """The results of tested gradients in an exchange with other processes; the form is that of `tested`."""
    given = received(definition, late)
    gradients = [tensor.partition(":")[0] for tensor, _, target in tested if target.role == GRADIENT]
    computed = fd.nodes_after(definition, gradients) if given else set()
    return [
        (output.tensor, output.dtype, TrapTarget(CATALOG.site(described.sites[name]).name, output.slot, REDUCED, ""))
        for name, output in given
        if name in computed and output.dtype in dtypes.FLOATS
    ]
