"""Operations of a definition by which replicas exchange tensors: which of them work together, and with whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.functions import definition as fd

REDUCE, GATHER = "CollectiveReduce", "CollectiveGather"
"""How the names begin of operations that each replica runs, with a result that is the same in all."""

_INPUTS = {"CollectiveReduceV2": 1, "CollectiveGatherV2": 1}
"""Where the size of the group, its number and that of the run come among the inputs; else they are attributes."""


@dataclass(frozen=True)
class Party:
    """One replica's part in an exchange."""

    node: Any
    size: int
    """How many take part; 0 where that is not known."""
    group: str
    run: str
    """What tells this exchange from others: a number, or the argument that has it."""

    @property
    def output(self) -> fd.Output:
        """The output."""
        return next(fd.outputs(self.node))


def exchanges(op_type: str) -> bool:
    """Whether an operation of this type puts out elements that come from other replicas."""
    return op_type.startswith((REDUCE, GATHER, "CollectiveAllToAll", "CollectiveBcastRecv", "CollectivePermute"))


def parties(definition: Any, values: Mapping[str, int] | None = None) -> list[Party]:
    """All of a definition.

    Args:
        definition: The FunctionDef.
        values: Whole numbers that are known of its arguments, by name.
    """
    known = {**_constants(definition), **(values or {})}
    return [_party(node, known) for node in definition.node_def if exchanges(node.op)]


def from_outside(found: Iterable[Party]) -> list[Party]:
    """Those of which some replicas are not in the definition: other processes have them."""
    found = list(found)
    devices: dict[str, set[str]] = {}
    for each in found:
        devices.setdefault(each.group, set()).add(each.node.device)
    return [each for each in found if not 0 < each.size <= len(devices[each.group])]


def _party(node: Any, known: Mapping[str, int]) -> Party:
    if node.op not in _INPUTS:
        names = ("group_size", "group_key", "instance_key")
        members, group_key, run_key = (node.attr[name].i if name in node.attr else 0 for name in names)
        return Party(node, members, str(group_key), str(run_key))
    size, group, run = fd.data_inputs(node)[_INPUTS[node.op] :][:3]
    return Party(node, known.get(size, 0), str(known.get(group, group)), str(known.get(run, run)))


def _constants(definition: Any) -> dict[str, int]:
    """The whole numbers among a definition's constants, by the tensor."""
    import tensorflow as tf  # imported by the program already

    found = {}
    for node in definition.node_def:
        if node.op == "Const" and node.attr["dtype"].type == dtypes.INT32:
            value = np.asarray(tf.make_ndarray(node.attr["value"].tensor))
            if value.size == 1:
                found[f"{node.name}:output:0"] = int(value.reshape(()))
    return found
