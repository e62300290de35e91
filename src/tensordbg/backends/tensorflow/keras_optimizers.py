"""Notes how Keras's optimizers are set: what is a number when a step is traced stands nowhere else by its name.

The learning rate is a variable, whose value is recorded in each step; a schedule is told in words.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from tensordbg.backends.keras_optimizers import HELD, RATE, is_on, schedule_words
from tensordbg.backends.tensorflow.internals import resource_variable_ops
from tensordbg.backends.tensorflow.methods import KERAS_OPTIMIZERS, Method, ReplacedMethods
from tensordbg.backends.tensorflow.variables import Variables
from tensordbg.model import NONE
from tensordbg.recording.catalog import CATALOG
from tensordbg.recording.optimizers import NotedOptimizers, SeenGroup, plain_settings
from tensordbg.recording.recorder import Recorder


class KerasOptimizers:
    """The hook into `keras.Optimizer.apply`, for one recording."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._methods = ReplacedMethods(recorder.guard)
        self._optimizers = NotedOptimizers(recorder.fact)
        self._variables = Variables(CATALOG)

    def install(self) -> None:
        """Looks on from now on."""
        self._methods.install(Method(KERAS_OPTIMIZERS, "BaseOptimizer.apply", self._watching))

    def uninstall(self) -> None:
        """Takes the hook out again."""
        self._methods.uninstall()

    def _watching(self, plain: Any) -> Any:
        def apply(optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
            result = plain(optimizer, grads, trainable_variables)
            if self._recorder.active and is_on(optimizer, "tensorflow"):
                with self._recorder.guard("looking at an optimizer"):
                    self._see(optimizer, trainable_variables)
            return result

        return apply

    def _see(self, optimizer: Any, variables: Any) -> None:
        told = vars(optimizer)
        settings, held = plain_settings(told), dict[str, int]()
        rate = told.get(HELD)
        number = self._number(rate)
        if number != NONE:
            held[RATE] = number
        elif words := schedule_words(rate):
            settings[RATE] = words
        trained = variables if variables is not None else told.get("_trainable_variables", ())
        # A graph is traced once and runs in all steps, so no step is known.
        self._optimizers.see(optimizer, 0, [SeenGroup(settings, partial(self._numbers, trained), held)])

    def _numbers(self, variables: Iterable[Any]) -> list[int]:
        return [number for number in map(self._number, variables) if number != NONE]

    def _number(self, variable: Any) -> int:
        """The number of a variable of Keras's or TensorFlow's; `NONE` for all else."""
        held = getattr(variable, "_value", variable)
        if not issubclass(type(held), resource_variable_ops.BaseResourceVariable):
            return NONE  # such as one that is mirrored on several devices, which has a handle for each
        self._variables.learn_name(held.handle, held.name)
        return self._variables.number_of(held.handle)
