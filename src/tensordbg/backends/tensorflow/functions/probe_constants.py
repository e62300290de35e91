"""One probe for many constants of a function, which are all there when it begins.

A seventh of a transformer's tensors are constants, most of them single numbers; a function of many operations has twice
as many nodes with a probe for each, which the runtime's optimizer has to look through.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensordbg.backends.tensorflow.functions import definition as fd

CONSTANTS_OP = "TensordbgProbeConstants"

_TOGETHER = 64
"""So many have one probe at most."""


def add_probes(definition: Any, points: Iterable[fd.ProbePoint]) -> list[fd.ProbePoint]:
    """Adds probes for the points that are constants.

    Returns:
        The other points, and constants that wait for something.
    """
    # What waits for a branch to be taken is not there in every call.
    constants = {node.name for node in definition.node_def if node.op == "Const" and not node.input}
    by_device: dict[str, list[fd.ProbePoint]] = {}
    rest: list[fd.ProbePoint] = []
    for point in points:
        is_constant = point.tensor.partition(":")[0] in constants
        (by_device.setdefault(point.device, []) if is_constant else rest).append(point)
    for found in by_device.values():
        for start in range(0, len(found), _TOGETHER):
            _add_probe(definition, found[start : start + _TOGETHER])
    return rest


def _add_probe(definition: Any, points: list[fd.ProbePoint]) -> None:
    name = fd.probe_name(points[0])
    node = definition.node_def.add(name=name, op=CONSTANTS_OP, device=points[0].device)
    node.input.extend(point.tensor for point in points)
    node.attr["T"].list.type.extend(point.dtype for point in points)
    node.attr["places"].list.i.extend(fd.place_number(point.site, point.slot) for point in points)
    fd.must_run(definition, name)
