"""Has operations wait until what they take in has been looked at, where that is the faster way.

Two operations that become ready at once, one that goes on with a tensor and one of ours that looks at it, are divided
by the runtime among its threads: a change of threads for each operation, and a tensor that one core has made is read by
another. While ours holds the tensor, its memory can't be used again for the result. If the program's operation waits,
one thread does both while the tensor lies in its core's cache: a checked step of a transformer took 1.24 times the
processor time of the plain one on two processors, and not 1.49. Where processors are many and idle, it is better to
look beside the program than in its way.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.graphs import Description
from tensordbg.backends.tensorflow.functions.probe_constants import CONSTANTS_OP
from tensordbg.backends.tensorflow.functions.probe_pairs import PAIR_OP
from tensordbg.backends.tensorflow.functions.slots import SlotRead

FEW_PROCESSORS = 4
"""Up to so many are mostly all busy with the program."""

BRANCHING = frozenset({"Enter", "Exit", "Switch", "Merge", "NextIteration", "LoopCond"})
"""In a graph with these a node may wait for one that never runs."""

MERGED = frozenset({"Conv2DBackpropFilter", "BiasAddGrad"})
"""oneDNN makes one of the two where they take the same gradient, unless they wait for something; what is merged
rounds otherwise (mkl_layout_pass.cc of TensorFlow)."""


def looks_first(described: Description) -> bool:
    """Whether the operations of a function wait. In conditions and branches they don't, which are mostly small."""
    return (described.is_loop_body or not described.is_part) and processors_are_few()


def processors_are_few() -> bool:
    """Whether those that this process may use are."""
    affinity = getattr(os, "sched_getaffinity", None)
    return ((os.cpu_count() or 1) if affinity is None else len(affinity(0))) <= FEW_PROCESSORS


def may_wait(node: Any) -> bool:
    """Whether the runtime makes the same of an operation when it waits."""
    return node.op not in BRANCHING and node.op not in MERGED


def wait_for(node: Any, names: Iterable[str]) -> None:
    """Has a node wait for others."""
    known = set(node.input)
    node.input.extend(f"^{name}" for name in dict.fromkeys(names) if f"^{name}" not in known)


def wait_for_probes(definition: Any) -> None:
    """Has operations wait for the probes of what they take from others on their own device; calls don't wait."""
    constants = {node.name for node in definition.node_def if node.op == "Const"}
    looked_at = ((tensor, node) for node in definition.node_def for tensor in _looked_at(node))
    probes = {tensor: node for tensor, node in looked_at if tensor.partition(":")[0] not in constants}
    for node in definition.node_def:
        if may_wait(node) and node.op not in fd.CALLS and node.op not in _PROBES:
            taken = [probes[tensor] for tensor in node.input if tensor in probes]
            wait_for(node, [probe.name for probe in taken if probe.device == node.device])


def elements_wait_for_probes(definition: Any) -> None:
    """Has what asks a list of tensors for an element wait for the probes of the place and the value, on all machines.

    Where there is no such place the runtime ends the call at once, with all probes of that turn of the loop which have
    not run yet: it would not be known any more which place was asked for.
    """
    probes = {node.input[0]: node for node in definition.node_def if node.op == fd.PROBE_OP}
    for node in definition.node_def:
        if node.op in _OF_ELEMENTS:
            taken = [probes[tensor] for tensor in node.input if tensor in probes]
            wait_for(node, [probe.name for probe in taken if probe.device == node.device])


def wait_for_slots(definition: Any, reads: Sequence[SlotRead], looking: Mapping[str, str]) -> None:
    """Has whatever waits for an optimizer's update wait until the slots behind it have been looked at, too.

    That is on all machines: what updates them next must neither be read in its stead nor have to copy them.

    Args:
        definition: The function's.
        reads: What reads the slots.
        looking: The name of the node that looks at what was read, by the tensor.
    """
    looks: dict[str, list[str]] = {}
    for read in reads:
        looks.setdefault(f"^{read.update.name}", []).append(looking[read.point.tensor])
    ours = {read.name for read in reads}
    for node in definition.node_def if looks else ():
        if node.name not in ours and may_wait(node):
            wait_for(node, [look for name in list(node.input) for look in looks.get(name, ())])


_OF_ELEMENTS = frozenset({"TensorListGetItem", "TensorListSetItem"})

_PROBES = frozenset({fd.PROBE_OP, PAIR_OP, CONSTANTS_OP})


def _looked_at(node: Any) -> tuple[str, ...]:
    """The tensor whose consumers wait for a probe, if they do."""
    if node.op == PAIR_OP:
        # The second is computed from the first, maybe by operations that would wait.
        return (node.input[1],)
    return (node.input[0],) if node.op == fd.PROBE_OP and not fd.looks_at_argument(node) else ()
