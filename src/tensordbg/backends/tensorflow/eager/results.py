"""Records the tensors that eager operations give, and marks them, so that whoever takes one is known to take it."""

from __future__ import annotations

from typing import Any

from tensordbg.backends.tensorflow.devices import Devices
from tensordbg.backends.tensorflow.dtypes import AS_BYTES, RECORDED, STRING, TRACE_NUMBERS
from tensordbg.backends.tensorflow.eager.entries import Entries
from tensordbg.backends.tensorflow.eager.gradients import EagerGradients
from tensordbg.backends.tensorflow.eager.reads import Reads
from tensordbg.backends.tensorflow.functions import device_summary
from tensordbg.backends.tensorflow.keras.layers import MARK
from tensordbg.recording.log import EventLog, input_reference
from tensordbg.recording.recorder import Recorder


class Results:
    """The tensors that Python holds."""

    def __init__(self, entries: Entries, reads: Reads, devices: Devices) -> None:
        self._entries = entries
        self._reads = reads
        self._gradients = EagerGradients()
        self._visible_devices = devices
        self._recorder: Recorder
        self._devices: dict[str, tuple[int, bool]] = {}

    def begin(self, recorder: Recorder) -> None:
        """Records into this recorder's trace from now on."""
        self._recorder = recorder
        self._devices.clear()
        self._gradients.begin()

    def record(self, execution: int, site: int, slot: int, tensor: Any) -> None:
        """Records one tensor, unless it is none whose elements are known."""
        enum = tensor._datatype_enum()  # noqa: SLF001  described in internals.py
        if enum not in RECORDED:
            return
        setattr(tensor, MARK, (self._recorder, input_reference(execution, slot), site))
        name = tensor.device
        device, on_accelerator = self._devices.get(name) or self._learn(name)
        if enum == STRING:
            self._recorder.log.append_strings((execution, site, slot), device, *_texts(tensor))
            return
        number = TRACE_NUMBERS[enum]
        if on_accelerator:
            summary = device_summary.summary_of(self._entries.fast_path, tensor)
            bad = EventLog.append_summary(execution, site, slot, number, device, *summary)
        else:
            array = tensor if enum not in AS_BYTES else tensor.numpy().view(AS_BYTES[enum])
            bad = EventLog.append_tensor(execution, site, slot, number, device, array)
        if bad:
            self._reads.expect(tensor, execution, slot, site)
            self._gradients.note(self._recorder, execution, site)

    def _learn(self, name: str) -> tuple[int, bool]:
        """The number of a device, and whether what lies there is reduced there."""
        self._visible_devices.note(self._recorder)
        known = self._devices[name] = (self._recorder.log.device(name), device_summary.lies_on_accelerator(name))
        return known


def _texts(tensor: Any) -> tuple[list[int], list[bytes]]:
    """Shape and elements of a tensor of strings."""
    elements = tensor._numpy()  # noqa: SLF001
    texts = [elements] if isinstance(elements, bytes) else elements.ravel().tolist()
    return [int(extent) for extent in tensor.shape], texts
