"""Tells the trace which devices the program sees, once TensorFlow itself has made up its mind.

Asking for the logical devices starts TensorFlow's runtime, after which a program can no longer divide its devices. So
they are asked for only when the program has started it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from tensordbg.backends.tensorflow.internals import context, kernels, util_port
from tensordbg.recording.recorder import Recorder


class Devices:
    """Notes the devices once in each recording."""

    def __init__(self) -> None:
        self._noted: Recorder | None = None

    def note(self, recorder: Recorder) -> None:
        """Writes the fact, unless it was written or the runtime has not started; cheap, for every call asks."""
        if self._noted is recorder:
            return
        runtime = context.context()
        if not runtime._initialized:  # noqa: SLF001  described in internals.py
            return
        self._noted = recorder
        described = describe_devices(runtime.list_physical_devices(), runtime.list_logical_devices())
        recorder.fact({"devices": {**described, "onednn": util_port.IsMklEnabled()}})
        recorder.note_process()


def describe_devices(physical: list[Any], logical: list[Any]) -> dict[str, list[str]]:
    """The names of devices, and with a GPU among them the types of operations that can't run there."""
    described = {"physical": [device.name for device in physical], "logical": [device.name for device in logical]}
    if any(device.device_type == "GPU" for device in logical):
        described["without_gpu_kernel"] = without_kernel("GPU")
    return described


def without_kernel(device_type: str) -> list[str]:
    """The types of operations that run on the CPU and have no kernel for another type of device."""
    runs_on: defaultdict[str, set[str]] = defaultdict(set)
    for kernel in kernels.get_all_registered_kernels().kernel:
        runs_on[kernel.op].add(kernel.device_type)
    return sorted(op for op, types in runs_on.items() if "CPU" in types and not types & {device_type, "DEFAULT"})
