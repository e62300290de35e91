"""Steps of loops that run eagerly, for a recording under a budget: each begins where the outermost tape is entered.

The functions that are called from there until the gradient is taken, forward and backward, belong to it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tensordbg.backends.tensorflow.eager.entries import Entries, Entry
from tensordbg.backends.tensorflow.eager.tensors import input_count
from tensordbg.backends.tensorflow.internals import context
from tensordbg.backends.tensorflow.methods import Method, ReplacedMethods
from tensordbg.recording.pace import Pace
from tensordbg.recording.recorder import Recorder

_KEY = "tf.GradientTape"


def lighten_between_steps(pace: Pace, entries: Entries, failed: Callable[[Exception, str, Any], None]) -> None:
    """Has operations pass little of ours between the steps that a budget chooses: what fails is noted, no more."""

    def note(error: Exception, _runtime: Any, op_type: str, _name: Any, *args: Any) -> None:
        failed(error, op_type, args[: input_count(op_type)])

    def light(plain: Entry) -> Entry:
        return pace.counting_operations(plain, note)

    pace.when_changed(lambda looking: entries.lighten(None if looking else light))


class _Thread(threading.local):
    tape: Any = None
    """The outermost tape, until its gradient is taken."""


class TapeSteps:
    """The hooks for one recording; there are none where it has no budget."""

    def __init__(self, recorder: Recorder) -> None:
        """Nothing is hooked yet."""
        self._recorder = recorder
        self._methods = ReplacedMethods(recorder.guard)
        self._thread = _Thread()

    def install(self) -> None:
        """Has steps begin at tapes from now on."""
        if self._recorder.pace is not None:
            self._methods.install(
                Method("tensorflow", "GradientTape.__enter__", self._entering),
                Method("tensorflow", "GradientTape.gradient", self._taking_gradients),
                Method("tensorflow", "GradientTape.jacobian", self._taking_gradients),
            )

    def uninstall(self) -> None:
        """Takes the hooks out again."""
        self._methods.uninstall()

    def _entering(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        def enter(tape: Any) -> Any:
            pace = self._recorder.pace
            if pace is not None and context.context().executing_eagerly():
                with self._recorder.guard("beginning a step at a tape"):
                    self._begin(pace, tape)
            return plain(tape)

        return enter

    def _begin(self, pace: Pace, tape: Any) -> None:
        before = self._thread.tape
        if before is not None:
            if before._recording:  # noqa: SLF001  it has no public name
                return
            # Nobody took its gradient.
            pace.end_call()
        self._thread.tape = tape
        pace.begin_call(_KEY)

    def _taking_gradients(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        def gradient(tape: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return plain(tape, *args, **kwargs)
            finally:
                pace = self._recorder.pace
                if pace is not None and self._thread.tape is tape:
                    self._thread.tape = None
                    pace.end_call()

        return gradient
