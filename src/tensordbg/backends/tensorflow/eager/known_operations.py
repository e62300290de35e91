"""Records eager operations that ran before at the same place in compiled code: in a loop, that is most of them."""

from __future__ import annotations

from typing import Any

from tensordbg import _native
from tensordbg.backends.tensorflow.eager.results import Results
from tensordbg.backends.tensorflow.keras.layers import KerasLayers
from tensordbg.backends.tensorflow.stack_keys import DEEPEST, StackKey
from tensordbg.recording.recorder import Recorder


class KnownOperations:
    """The operations that take what others gave, give one tensor, and were recorded once by `Eager`."""

    def __init__(self, results: Results, layers: KerasLayers) -> None:
        self._results = results
        self._layers = layers
        self._recorder: Recorder
        self._known: object | None = None

    def begin(self, recorder: Recorder) -> None:
        """Knows none at the beginning of a recording."""
        self._recorder = recorder
        every = recorder.every_eager
        self._known = _native.known_operations(self._results.recording, DEEPEST, every) if every else None

    def end(self) -> None:
        """Forgets them, and the recorder with them."""
        self._known = None

    def record(self, op_type: str, arguments: tuple[Any, ...], inputs: int, result: Any) -> bool:
        """Records an operation that has run behind the caller, if it is known; tells whether it was."""
        known = self._known
        if known is None or self._recorder.watch is not None:
            return False
        done = _native.record_known(known, op_type, self._layers.path, arguments, inputs, result)
        if done:
            execution, site, bad = done
            self._layers.ran(execution, site)
            if bad:
                self._results.found_bad(execution, site, 0, result)
        return done is not None

    def learn(self, op_type: str, key: StackKey, site: int) -> None:
        """Knows an operation from now on."""
        if self._known is not None and self._recorder.watch is None:
            steps = self._recorder.steps_of(site)
            _native.learn_operation(self._known, op_type, self._layers.path, key, site, steps)
