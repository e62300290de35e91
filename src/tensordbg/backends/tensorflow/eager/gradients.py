"""Notes of bad values in an eager backward pass which operation of the forward pass they are the gradient of.

The gradients of many operations, such as `Cast` and `Reshape`, take nothing of the forward pass, so that a trace can't
tell whose they are. The tape knows what the operation put out, or took; both bear the mark of what made them.
"""

from __future__ import annotations

import sys
from typing import Any

from tensordbg.backends.tensorflow.eager.tape_frames import taped_operation
from tensordbg.backends.tensorflow.eager.tensors import flat
from tensordbg.backends.tensorflow.keras.layers import MARK
from tensordbg.recording.log import made_by
from tensordbg.recording.recorder import Recorder

_MOST_OF_SITE = 20
"""So many are noted of one place in the program, whose first bad value matters most."""
_MOST = 2000
"""So many in all."""
_UNMARKED = (None, 0, 0)


class EagerGradients:
    """The notes of one recording at a time."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def begin(self) -> None:
        """Starts anew."""
        self._counts.clear()

    def note(self, recorder: Recorder, execution: int, site: int) -> None:
        """Notes of an operation that has just made a bad value whose gradient it computes, if any."""
        count = self._counts.get(site, 0)
        if count >= _MOST_OF_SITE or sum(self._counts.values()) >= _MOST:
            return
        self._counts[site] = count + 1
        operation = taped_operation(sys._getframe(1), recorder.catalog.user_code)  # noqa: SLF001
        if operation is None:
            return
        for is_input, tensors in enumerate((operation.outputs, operation.inputs)):
            for tensor in flat(tensors):
                reference = _reference(recorder, tensor)
                if reference is not None:
                    recorder.fact({"differentiated": [execution, *made_by(reference), is_input]})
                    return


def _reference(recorder: Recorder, tensor: Any) -> int | None:
    """Which execution made a tensor, and as which output, where it is known."""
    maker, reference, _ = getattr(tensor, MARK, _UNMARKED)
    return int(reference) if maker is recorder and reference >= 0 else None
