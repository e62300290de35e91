"""Probes of two tensors at once, where one has the elements of the other under another shape: they are read once.

An eighth of all elements of a transformer's step are in such tensors. The runtime gives both the same memory, at which
the probe looks before it relies on it; it holds both tensors, so nothing can be written there meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.functions import definition as fd

PAIR_OP = "TensordbgProbePair"

RESHAPING = frozenset({"ExpandDims", "Reshape", "Squeeze", "StopGradient", "PreventGradient"})
"""Operations whose only output has the memory of their first input."""


def add_probes(definition: Any, points: Iterable[fd.ProbePoint]) -> None:
    """Adds probes for all points, one for two of them where that is possible."""
    points = list(points)
    pairs = list(_pairs(definition, points))
    together = {point for pair in pairs for point in pair}
    fd.add_probes(definition, (point for point in points if point not in together))
    for first, second in pairs:
        _add_pair(definition, first, second)


def _pairs(definition: Any, points: list[fd.ProbePoint]) -> Iterator[tuple[fd.ProbePoint, fd.ProbePoint]]:
    """Each point at most once; of a chain of reshapes the first two."""
    by_tensor = {point.tensor: point for point in points}
    copies = {node.name: node.input[0] for node in definition.node_def if node.op == "Identity"}
    for node in definition.node_def:
        if node.op not in RESHAPING or node.attr["T"].type == dtypes.STRING:
            continue
        second = by_tensor.get(next(iter(fd.outputs(node))).tensor)
        first = by_tensor.get(_original(node.input[0], copies))
        if first and second and first is not second and _device(first, node) == second.device:
            yield by_tensor.pop(first.tensor), by_tensor.pop(second.tensor)


def _original(tensor: str, copies: dict[str, str]) -> str:
    """What a tensor is the same as."""
    while (maker := tensor.partition(":")[0]) in copies:
        tensor = copies[maker]
    return tensor


def _device(first: fd.ProbePoint, node: Any) -> str:
    """Arguments lie where they are used."""
    return str(node.device) if first.argument else first.device


def _add_pair(definition: Any, first: fd.ProbePoint, second: fd.ProbePoint) -> None:
    name = fd.probe_name(first)
    node = definition.node_def.add(name=name, op=PAIR_OP, device=second.device)
    node.input.extend([first.tensor, second.tensor])
    node.attr["T"].type = first.dtype
    node.attr["place"].i = fd.place_number(first.site, first.slot, first.argument)
    node.attr["second"].i = fd.place_number(second.site, second.slot)
    fd.must_run(definition, name)
