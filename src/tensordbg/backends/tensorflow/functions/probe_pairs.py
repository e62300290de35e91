"""Probes of two tensors at once, where one has the elements of the other under another shape: they are read once.

An eighth of all elements of a transformer's step are in such tensors. The runtime gives both the same memory, at which
the probe looks before it relies on it; it holds both tensors, so nothing can be written there meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.functions import definition as fd

PAIR_OP = "TensordbgProbePair"

RESHAPING = frozenset({"ExpandDims", "Reshape", "Squeeze", "StopGradient", "PreventGradient"})
"""Operations whose only output has the memory of their first input."""

_NEVER_FAILING = frozenset({"StopGradient", "PreventGradient"})


def add_probes(definition: Any, points: Iterable[fd.ProbePoint], graph: Any = None) -> None:
    """Adds probes for all points, one for two of them where that is possible.

    Args:
        definition: The function.
        points: What is looked at.
        graph: The FuncGraph that the function was made from, which knows shapes; None has every reshape succeed.
    """
    points = list(points)
    pairs = list(_pairs(definition, points, graph))
    together = {point for pair in pairs for point in pair}
    fd.add_probes(definition, (point for point in points if point not in together))
    for first, second in pairs:
        _add_pair(definition, first, second)


def _pairs(definition: Any, points: list[fd.ProbePoint], graph: Any) -> Iterator[tuple[fd.ProbePoint, fd.ProbePoint]]:
    """Each point at most once; of a chain of reshapes the first two."""
    by_tensor = {point.tensor: point for point in points}
    copies = {node.name: node.input[0] for node in definition.node_def if node.op == "Identity"}
    for node in definition.node_def:
        if node.op not in RESHAPING or node.attr["T"].type == dtypes.STRING:
            continue
        second = by_tensor.get(next(iter(fd.outputs(node))).tensor)
        first = by_tensor.get(_original(node.input[0], copies))
        together = first and second and first is not second and _device(first, node) == second.device
        if first and second and together and not (graph is not None and _may_fail(graph, node)):
            yield by_tensor.pop(first.tensor), by_tensor.pop(second.tensor)


def _may_fail(graph: Any, node: Any) -> bool:
    """Whether it is only known when it runs if a node's input has as many elements as the shape that is asked for."""
    if node.op in _NEVER_FAILING:
        return False
    try:
        operation = graph.get_operation_by_name(node.name)
    except (KeyError, ValueError):
        return True
    given, made = operation.inputs[0].shape, operation.outputs[0].shape
    if given.rank is None or made.rank is None:
        return True
    unknown = [shape.as_list().count(None) for shape in (given, made)]
    known, wanted = (math.prod(dim for dim in shape.as_list() if dim is not None) for shape in (given, made))
    if unknown == [0, 0]:
        return False
    return unknown != [1, 1] or known % max(wanted, 1) != 0


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
