"""Runs a captured step again, from nothing but the capture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from tensordbg import _native
from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.check_graph import RawTensor
from tensordbg.backends.tensorflow.graphs import Description
from tensordbg.backends.tensorflow.hooks import framework_library, hooks
from tensordbg.backends.tensorflow.internals import context
from tensordbg.backends.tensorflow.replay_functions import load_library, name_of_element
from tensordbg.backends.tensorflow.trap_capture import trouble_of
from tensordbg.backends.tensorflow.trap_nodes import TrapPlacer
from tensordbg.backends.tensorflow.trap_targets import TrapTarget, named_targets
from tensordbg.capture.header import Trouble
from tensordbg.capture.reader import Capture
from tensordbg.capture.tensors import Array
from tensordbg.errors import CaptureError
from tensordbg.recording.guard import guarded


class Replayer:
    """Has one captured step ready to run; TensorFlow must not have been used for anything else."""

    def __init__(self, capture: Capture) -> None:
        """Loads the capture.

        Raises:
            CaptureError: If it is damaged, or was cut.
        """
        self._header = capture.header
        _refuse_cut(capture)
        self._batch, self._values = capture.batch(), capture.variables()
        self._elements = {name_of_element(name): array for name, array in capture.elements().items()}
        self._tests = _Tests(self._header.runtime_name, self._header.trouble)
        self._tests.start()
        loaded = load_library(capture, list(self._elements))
        self._signature, self._random = loaded.signature, loaded.random
        self._variables = _variables(capture, self._values)

    @property
    def notes(self) -> tuple[str, ...]:
        """Why it may come out otherwise each time, as far as the functions tell."""
        if not self._random:
            return ()
        return (f"the step has random operations whose state is not captured: {', '.join(self._random)}",)

    def run(self) -> Trouble | None:
        """Runs the step from the state before it.

        Returns:
            What was bad in it, None where nothing was.

        Raises:
            CaptureError: If TensorFlow can't run it.
        """
        import tensorflow as tf

        for argument, variable in self._variables.items():
            variable.assign(self._values[argument])
        self._tests.found = None
        try:
            context.context().call_function(
                self._header.runtime_name.encode(), list(self._arguments()), len(self._signature.output_arg)
            )
        except (tf.errors.OpError, ValueError, TypeError) as error:
            first = str(error).splitlines()[0]
            raise CaptureError(
                f"the step can't be run here: {first}; replay it with the TensorFlow of the capture"
            ) from None
        return self._tests.found

    def _arguments(self) -> Iterator[Any]:
        import tensorflow as tf

        anything = tf.Variable(0.0)  # in the place of what only led to the elements of a pipeline
        for number, argument in enumerate(self._signature.input_arg):
            if argument.name in self._elements:
                yield tf.constant(self._elements[argument.name])
            elif number in self._variables:
                yield self._variables[number].handle
            elif argument.type == dtypes.RESOURCE:
                if not self._elements:
                    raise CaptureError(f"the step takes {argument.name}, which is no variable and can't be captured")
                yield anything.handle
            elif number in self._batch:
                yield tf.constant(self._batch[number])
            else:
                raise CaptureError(f"the capture has no argument {argument.name} of its function; take another")


def _refuse_cut(capture: Capture) -> None:
    tensors = [each.tensor for each in capture.header.arguments] + [each.tensor for each in capture.header.variables]
    for each in tensors:
        if not each.key:
            raise CaptureError(
                f"{capture.path} lacks {each.name}: {each.missing}; only a whole capture can be replayed"
            )


def _variables(capture: Capture, values: Mapping[int, Array]) -> dict[int, Any]:
    import tensorflow as tf

    known = {each.argument: each for each in capture.header.variables}
    return {
        argument: tf.Variable(value, trainable=known[argument].trainable, name=known[argument].tensor.name)
        for argument, value in values.items()
    }


class _Tests:
    """Tests in the replayed step what the trap tested: an instrument of functions."""

    kind = "trap"
    active = True

    def __init__(self, runtime_name: str, trouble: Trouble) -> None:
        self._runtime_name = runtime_name
        self._wanted = [_tested(each.name, each.role, each.variable) for each in trouble.tested]
        self._placed: list[TrapTarget] = []
        self.found: Trouble | None = None

    def start(self) -> None:
        """Puts them into what is loaded from now on."""
        _native.register_tensorflow_trap(framework_library())
        _native.start_trapping(self._decide)
        hooks().functions.add(self)

    def add_nodes(self, definition: Any, described: Description) -> None:
        """See `Instrument`."""
        if described.function.runtime_name != self._runtime_name:
            return
        tested = named_targets(definition, described, self._wanted)
        self._placed = [each for _, _, each in tested]
        TrapPlacer(definition, [(tensor, dtype) for tensor, dtype, _ in tested]).place(0, None)

    def warn(self, message: str) -> None:
        """See `Instrument`."""
        raise CaptureError(message)

    def guard(self, what: str) -> AbstractContextManager[None]:
        """See `Instrument`."""
        return guarded(what, self._fail)

    def _fail(self, what: str, error: BaseException) -> None:
        raise CaptureError(f"{what} failed with {type(error).__name__}: {error}") from error

    def _decide(self, number: int, step: int, bad: Sequence[int], tested: Sequence[RawTensor], saved: object) -> None:
        del number, step, saved
        self.found = trouble_of(self._placed, bad, tested)


def _tested(name: str, role: str, variable: str) -> TrapTarget:
    operation, _, slot = name.rpartition(":")
    if not slot.isdecimal():
        raise CaptureError(f"{name!r} is no name of a tensor, which has a colon and a number; take another capture")
    return TrapTarget(operation, int(slot), role, variable)
