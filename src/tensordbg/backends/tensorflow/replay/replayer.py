"""Runs a captured step again, from nothing but the capture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.internals import context
from tensordbg.backends.tensorflow.raised import operation_of
from tensordbg.backends.tensorflow.replay.changes import LibraryChanges, State, apply_changes
from tensordbg.backends.tensorflow.replay.exchanges import compute_alone
from tensordbg.backends.tensorflow.replay.functions import (
    callees_first,
    fixed_inputs,
    free_shapes,
    load_library,
    name_of_element,
    random_operations,
    read_library,
    take_elements_from_arguments,
)
from tensordbg.backends.tensorflow.replay.operations import refuse_effects, refuse_python
from tensordbg.backends.tensorflow.replay.outputs import give_out
from tensordbg.backends.tensorflow.replay.precision import Precision
from tensordbg.backends.tensorflow.replay.tables import Tables
from tensordbg.backends.tensorflow.replay.uncaptured import not_captured
from tensordbg.capture.outcome import Reading, finite_or_none
from tensordbg.capture.reader import Capture
from tensordbg.capture.tensors import Array
from tensordbg.capture.weights import variable_names
from tensordbg.errors import CaptureError, StepRaisedError
from tensordbg.model import NONE
from tensordbg.replaying.changes import change_of
from tensordbg.replaying.plan import ReplayPlan
from tensordbg.replaying.reading import is_bad, reading_of


class Replayer:
    """Has one captured step ready to run."""

    def __init__(self, capture: Capture, plan: ReplayPlan) -> None:
        """Loads the capture.

        Raises:
            CaptureError: If it is damaged, was cut, or would do more than compute and is not trusted.
            UsageError: If it can't be changed as the plan says.
        """
        _refuse_cut(capture)
        self._capture, self._header = capture, capture.header
        precision = Precision(plan.precision)
        self._values = {argument: precision.widen_array(array) for argument, array in capture.variables().items()}
        elements = {name_of_element(name): name for name in capture.elements()}
        names = {each.argument: each.tensor.name for each in capture.header.arguments if each.argument != NONE}
        self.arguments: dict[str, Array] = {
            names[i]: array for i, array in capture.batch().items()
        } | capture.elements()
        """What the step is given, by name; without variables."""
        library = read_library(capture)
        step = library.function[0]
        self.fixed = fixed_inputs(step, names, elements)
        """Names of those whose first dimension the function takes in one size only."""
        self.random = random_operations(library)
        """Operations that draw random numbers from a state that is not captured, by name."""
        self.uncompiled = False
        """Whether it runs operations one by one that ran in compiled code: a function is run as it was."""
        if plan.bisect:
            free_shapes(library)
        take_elements_from_arguments(step, list(elements))
        compute_alone(capture, library, list(elements))
        precision.widen_library(library)
        tested, edits = capture.header.trouble.tested, LibraryChanges(library)
        variables = {name: argument for argument, name in variable_names(capture.header.variables).items()}
        state = State(self.arguments, variables, self._values, tested)
        apply_changes([change_of(words) for words in plan.changes], state, edits)
        self.notes = _notes(precision, plan)
        """What should be known of the replay."""
        self._tested = give_out(step, tested, edits.replaced)
        self._signature = step.signature
        self._places = {
            number: elements.get(argument.name) or names.get(number, "")
            for number, argument in enumerate(step.signature.input_arg)
        }
        self._from_pipeline = bool(elements)
        refuse_python(capture, callees_first(library))
        if not plan.trusted:
            refuse_effects(capture, callees_first(library))
        self._variables = self._made_variables()
        hooks().variables.learn(self._variables.values())
        self._tables = Tables(capture, library)
        handles = {argument: variable.handle for argument, variable in self._variables.items()}
        self._loaded = load_library(capture, library, handles)

    def run(self, given: Mapping[str, Array]) -> tuple[Reading, ...]:
        """Runs the step from the state before it.

        Args:
            given: What it is given, by the names of `arguments`.

        Returns:
            What the tensors are that the trap had tested.

        Raises:
            StepRaisedError: If TensorFlow can't run it.
        """
        import tensorflow as tf

        for argument, variable in self._variables.items():
            variable.assign(self._values[argument])
        self._tables.fill()
        try:
            results = context.context().call_function(
                self._loaded[-1].name, list(self._arguments(given)), len(self._signature.output_arg)
            )
        except (tf.errors.OpError, ValueError, TypeError) as error:
            first = str(error).splitlines()[0]
            message = f"the step can't be run here: {first}; replay it with the TensorFlow of the capture"
            raise StepRaisedError(message, f"{type(error).__name__} {operation_of(error)}") from error
        tested = results[len(results) - len(self._tested) :] if self._tested else []
        return tuple(reading_of(each, tensor.numpy()) for each, tensor in zip(self._tested, tested, strict=True))

    def ruined(self) -> tuple[str, ...]:
        """Names of the variables that the last run left with something that is not finite."""
        after = {argument: variable.numpy() for argument, variable in self._variables.items()}
        return tuple(
            each.tensor.name
            for each in self._header.variables
            if each.argument in after and is_bad(after[each.argument]) and not is_bad(self._values[each.argument])
        )

    def moved(self) -> float | None:
        """How far the last run moved all variables that are trained: a Euclidean norm, None where not finite.

        Nor where the step made some of them itself, as a model does that is built by its first data.
        """
        values = {argument: value for argument, value in self._values.items() if value.dtype.kind != "O"}
        trained = [each.argument for each in self._header.variables if each.trainable and each.argument in values]
        after = {argument: self._variables[argument].numpy() for argument in trained}
        if any(after[argument].shape != values[argument].shape for argument in trained):
            return None
        differences = (after[argument].astype(np.float64) - values[argument].astype(np.float64) for argument in trained)
        with np.errstate(all="ignore"):
            return finite_or_none(float(np.sqrt(sum(float(np.sum(each * each)) for each in differences))))

    def _made_variables(self) -> dict[int, Any]:
        import tensorflow as tf

        known = {each.argument: each for each in self._header.variables}
        return {
            argument: tf.Variable(value, trainable=known[argument].trainable, name=known[argument].tensor.name)
            for argument, value in self._values.items()
        }

    def _arguments(self, given: Mapping[str, Array]) -> Iterator[Any]:
        import tensorflow as tf

        tables = self._tables.handles
        anything = tf.Variable(0.0)  # in the place of what only led to the elements of a pipeline
        for number, argument in enumerate(self._signature.input_arg):
            if number in self._variables:
                yield self._variables[number].handle
            elif self._places[number] in given:
                dtype = tf.dtypes.as_dtype(argument.type)
                yield tf.constant(given[self._places[number]].astype(dtype.as_numpy_dtype), dtype)
            elif number in tables:
                yield tables[number]
            elif argument.type == dtypes.RESOURCE:
                if not self._from_pipeline:
                    raise not_captured(self._capture, argument.name, argument.type)
                yield anything.handle
            else:
                raise not_captured(self._capture, argument.name, argument.type)


def _refuse_cut(capture: Capture) -> None:
    tensors = [each.tensor for each in capture.header.arguments] + [each.tensor for each in capture.header.variables]
    tensors += [part for each in capture.header.tables for part in (each.keys, each.values)]
    for each in tensors:
        if not each.key:
            raise CaptureError(
                f"{capture.path} lacks {each.name}: {each.missing}; only a whole capture can be replayed"
            )


def _notes(precision: Precision, plan: ReplayPlan) -> tuple[str, ...]:
    if not precision.kept:
        return ()
    return (f"not computed in {plan.precision}, as there is no such form of it: {', '.join(precision.kept)}",)
