"""Has each tensor of a graph looked at on the device where it lies.

With one CPU that is anywhere. Where a program has divided its CPU, probes are placed with what they look at: the
arguments of a function lie where the caller has them, and a variable is read where it lies. Where a GPU is visible,
tensors are reduced on their own device, and only what was counted comes to the host.

TensorFlow's own summary operation has a kernel for GPUs. Its FULL_HEALTH mode counts signs, zeros, infinities and NaNs
of floating-point numbers; least, greatest, sum and the place of the first bad element are not known then. Of other
tensors the shape is recorded.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions import probe_constants, probe_pairs
from tensordbg.backends.tensorflow.internals import context, record

SUMMARY_OP = "DebugNumericSummaryV2"
SUMMARY_PROBE_OP = "TensordbgSummaryProbe"

FULL_HEALTH = 4
"""The number of the mode in TensorFlow's `TensorDebugMode`."""

SUMMARISED = frozenset({1, 2, 14, 19})
"""Data types that the summary takes: float32, float64, bfloat16 and float16."""

_INT64, _DOUBLE = 9, 2


def accelerator_is_visible() -> bool:
    """Whether tensors may lie on a GPU; asking does not start TensorFlow's runtime."""
    return bool(context.context().get_visible_devices("GPU"))


def cpu_is_divided() -> bool:
    """Whether there are several CPUs to place operations on; asking does not start TensorFlow's runtime."""
    runtime = context.context()
    if not runtime._initialized:  # noqa: SLF001  described in internals.py
        return False
    return len(runtime.list_logical_devices("CPU")) > 1


def add_probes(definition: Any, points: Iterable[fd.ProbePoint], graph: Any = None) -> None:
    """Adds a probe for each point: reduced where the tensor lies if that may be a GPU, else our own.

    Args:
        definition: The function.
        points: What is looked at.
        graph: See `probe_pairs.add_probes`.
    """
    if not accelerator_is_visible():
        points = probe_constants.add_probes(definition, points)
        if cpu_is_divided():
            _add_each_beside(definition, points)
        else:
            probe_pairs.add_probes(definition, points, graph)
        return
    nodes = {node.name for node in definition.node_def}
    for point in points:
        if "CPU" in point.device:
            fd.add_probes(definition, [point])
        elif point.dtype == dtypes.STRING:
            _add_beside(definition, point, nodes)
        else:
            _add_reduced(definition, point, nodes)


def _add_each_beside(definition: Any, points: Iterable[fd.ProbePoint]) -> None:
    """Adds our own probes, each where its tensor lies: what an argument is, the caller has placed."""
    places = {node.name for node in definition.node_def} | {each.name for each in definition.signature.input_arg}
    for point in points:
        _add_beside(definition, point, places)


def _add_beside(definition: Any, point: fd.ProbePoint, places: set[str]) -> None:
    """Adds a probe of our own with what makes its tensor; strings lie in the host's memory on any device."""
    maker = point.tensor.partition(":")[0]
    probe = _beside(definition, (fd.probe_name(point), fd.PROBE_OP), maker if maker in places else "", point.device)
    probe.input.append(point.tensor)
    probe.attr["T"].type = point.dtype
    probe.attr["place"].i = fd.place_number(point.site, point.slot, point.argument)
    fd.must_run(definition, probe.name)


def _add_reduced(definition: Any, point: fd.ProbePoint, nodes: set[str]) -> None:
    name = fd.probe_name(point)
    # What has the tensor as an argument may lie anywhere; all else is put where the tensor is made.
    maker = point.tensor.partition(":")[0]
    place = maker if maker in nodes else ""
    shape = _beside(definition, (f"{name}/shape", "Shape"), place, point.device)
    shape.input.append(point.tensor)
    shape.attr["T"].type = point.dtype
    shape.attr["out_type"].type = _INT64
    probe = _beside(definition, (name, SUMMARY_PROBE_OP), place, point.device)
    summarised = point.dtype in SUMMARISED
    if summarised:
        summary = _beside(definition, (f"{name}/summary", SUMMARY_OP), place, point.device)
        summary.input.append(point.tensor)
        summary.attr["T"].type = point.dtype
        summary.attr["output_dtype"].type = _DOUBLE
        summary.attr["tensor_debug_mode"].i = FULL_HEALTH
        summary.attr["tensor_id"].i = point.site
        probe.input.append(f"{name}/summary:output:0")
    probe.input.append(f"{name}/shape:output:0")
    probe.attr["N"].i = int(summarised)
    probe.attr["dtype"].i = point.dtype
    probe.attr["place"].i = fd.place_number(point.site, point.slot, point.argument)
    fd.must_run(definition, name)


def _beside(definition: Any, named: tuple[str, str], place: str, device: str) -> Any:
    """A new node (name, type) on the device of another one."""
    node = definition.node_def.add(name=named[0], op=named[1], device=device)
    if place:
        node.attr["_class"].list.s.append(f"loc:@{place}".encode())
    return node


def lies_on_accelerator(device: str) -> bool:
    """Whether an eager tensor on this device is reduced there."""
    return "GPU:" in device


def summary_of(plain: Any, tensor: Any) -> tuple[list[int], list[float]]:
    """Shape and summary of an eager tensor, reduced on its device; no summary where it has none.

    Args:
        plain: TensorFlow's own entry for eager operations, which nobody records.
        tensor: The tensor.
    """
    dims = [int(extent) for extent in tensor.shape]
    if tensor._datatype_enum() not in SUMMARISED:  # noqa: SLF001
        return dims, []
    attributes = ("output_dtype", _DOUBLE, "tensor_debug_mode", FULL_HEALTH, "tensor_id", 0)
    runtime = context.context()
    with record.stop_recording(), runtime.device(tensor.device):
        return dims, plain(runtime, SUMMARY_OP, None, tensor, *attributes).numpy().tolist()
