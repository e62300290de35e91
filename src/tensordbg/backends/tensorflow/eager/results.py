"""Records the tensors that eager operations give, and marks them, so that whoever takes one is known to take it."""

from __future__ import annotations

from typing import Any

from tensordbg import _native
from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.devices import Devices
from tensordbg.backends.tensorflow.eager.entries import Entries
from tensordbg.backends.tensorflow.eager.gradients import EagerGradients
from tensordbg.backends.tensorflow.eager.reads import Reads
from tensordbg.backends.tensorflow.functions import device_summary
from tensordbg.backends.tensorflow.internals import eager_tensors
from tensordbg.backends.tensorflow.keras.layers import MARK
from tensordbg.recording.log import EventLog, input_reference
from tensordbg.recording.recorder import Recorder

_AT_HAND = {enum: dtypes.TRACE_NUMBERS[enum] for enum in dtypes.PROBED if enum not in dtypes.AS_BYTES}
"""The trace's numbers of dtypes whose elements are measured where they lie."""


class Results:
    """The tensors that Python holds."""

    def __init__(self, entries: Entries, reads: Reads, devices: Devices) -> None:
        self._entries = entries
        self._reads = reads
        self._gradients = EagerGradients()
        self._visible_devices = devices
        self._recorder: Recorder
        self._numbers: dict[str, int] = {}
        self._at_hand: dict[str, int] = {}
        self.recording: tuple[type[Any], str, Recorder, dict[int, int], dict[str, int]]
        """What the compiled part needs in each recording, see `eager_path.h`."""

    def begin(self, recorder: Recorder) -> None:
        """Records into this recorder's trace from now on."""
        self._recorder = recorder
        self._numbers.clear()
        self._at_hand.clear()
        self.recording = (eager_tensors()[0], MARK, recorder, _AT_HAND, self._at_hand)
        self._gradients.begin()

    def references(self, values: Any) -> list[int] | None:
        """The references of tensors that recorded operations made; None where one of them is none."""
        return _native.marked_references(self.recording, values)

    def record(self, execution: int, site: int, slot: int, tensor: Any) -> bool:
        """Records one tensor, unless it has no elements; tells whether those were measured where they lie."""
        bad = _native.append_marked(self.recording, execution, site, slot, tensor)
        at_hand = bad is not None
        if bad is None:
            bad = self._record_other(execution, site, slot, tensor)
        if bad:
            self.found_bad(execution, site, slot, tensor)
        return at_hand

    def found_bad(self, execution: int, site: int, slot: int, tensor: Any) -> None:
        """Looks out for what becomes of a tensor that is not finite."""
        self._reads.expect(tensor, execution, slot, site)
        self._gradients.note(self._recorder, execution, site)

    def _record_other(self, execution: int, site: int, slot: int, tensor: Any) -> bool:
        """Records one whose elements do not lie where they can be measured at once, or of a device's first."""
        enum, name = tensor._datatype_enum(), tensor.device  # noqa: SLF001  described in internals.py
        if enum not in dtypes.RECORDED:
            return False
        setattr(tensor, MARK, (self._recorder, input_reference(execution, slot), site))
        device = self._device(name)
        if enum == dtypes.STRING:
            self._recorder.log.append_strings((execution, site, slot), device, *_texts(tensor))
            return False
        made_by = (execution, site, slot, dtypes.TRACE_NUMBERS[enum], device)
        if device_summary.lies_on_accelerator(name):
            return EventLog.append_summary(*made_by, *device_summary.summary_of(self._entries.fast_path, tensor))
        array = tensor.numpy().view(dtypes.AS_BYTES[enum]) if enum in dtypes.AS_BYTES else tensor
        return EventLog.append_tensor(*made_by, array)

    def _device(self, name: str) -> int:
        """The number of a device."""
        known = self._numbers.get(name)
        if known is None:
            self._visible_devices.note(self._recorder)
            known = self._numbers[name] = self._recorder.log.device(name)
            # Of other devices an address is none of this process.
            if "CPU:" in name and not device_summary.lies_on_accelerator(name):
                self._at_hand[name] = known
        return known


def _texts(tensor: Any) -> tuple[list[int], list[bytes]]:
    """Shape and elements of a tensor of strings."""
    elements = tensor._numpy()  # noqa: SLF001
    texts = [elements] if isinstance(elements, bytes) else elements.ravel().tolist()
    return [int(extent) for extent in tensor.shape], texts
