"""Meets a program's first call of the captured function, and makes it with what was captured."""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.internals import polymorphic_function, tf_decorator
from tensordbg.backends.tensorflow.replay.recapture import Recapturing
from tensordbg.backends.tensorflow.replay.variables import matched_variables
from tensordbg.backends.tensorflow.tracing.arguments import code_of
from tensordbg.capture.reader import Capture
from tensordbg.capture.tensors import Array
from tensordbg.errors import CaptureError
from tensordbg.recording.saying import say
from tensordbg.replaying.program import ProgramReplay, Way

Run = Callable[[Callable[[], object]], None]


def meet_step_call(capture: Capture, plan: ProgramReplay, run: Run) -> None:
    """Has the first call of the captured function run on what was captured; the program ends then.

    Args:
        capture: Of the step.
        plan: How it is run.
        run: Is given the call.
    """
    import tensorflow as tf  # imported by the program already

    meeting = _Meeting(capture, plan, run)
    function = polymorphic_function.Function
    plain = function.__call__

    @functools.wraps(plain)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if meeting.is_it(self):
            meeting.make(self, args, kwargs)
            # Whatever the program does about exceptions of its own, it must end here.
            raise SystemExit(0)
        return plain(self, *args, **kwargs)

    function.__call__ = call
    if plan.way is Way.CAPTURE:
        meeting.recapturing.install()
    # That it does not hold for functions of tf.data is just as well.
    warnings.filterwarnings("ignore", message="Even though the `tf.config.experimental_run_functions_eagerly`")
    # One that is called by another is met with tensors at hand only if that other runs eagerly.
    tf.config.run_functions_eagerly(True)


@dataclass(frozen=True)
class _Definition:
    """Where the captured function is defined."""

    name: str
    file: str
    line: int


class _Meeting:
    def __init__(self, capture: Capture, plan: ProgramReplay, run: Run) -> None:
        self._capture = capture
        self._plan = plan
        self._run = run
        self._definition = _definition_of(capture)
        self._met = False
        self.recapturing = Recapturing(capture)

    def is_it(self, function: Any) -> bool:
        """Whether this is the captured function, not met before."""
        if self._met:
            return False
        code = code_of(tf_decorator.unwrap(function.python_function)[1])
        if code is None or code.co_name != self._definition.name:
            return False
        patched = self._plan.patched
        if patched is not None and Path(code.co_filename) == Path(patched.by):
            return True
        # The program may lie elsewhere on this machine, and have other lines by now.
        self._met = Path(code.co_filename).name == Path(self._definition.file).name
        return self._met

    def make(self, function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Makes the call with what was captured."""
        import tensorflow as tf

        self._met = True
        tf.config.run_functions_eagerly(False)
        concrete = function.get_concrete_function(*args, **kwargs)
        if self._plan.way is Way.CAPTURE:
            self.recapturing.write(concrete, Path(self._plan.place))
            return
        forget_conversion(function.python_function)
        tf.config.run_functions_eagerly(True)
        missing = []
        for stored, variable, value in matched_variables(self._capture, concrete):
            if variable is None:
                missing.append(stored.tensor.name)
            else:
                variable.assign(value)
        if missing:
            lost = f"{len(missing)} captured variables, such as {missing[0]}"
            say(f"warning: the program has no counterpart of {lost}")
        given = _StepArguments(self._capture)
        args = given.in_place_of(args)
        kwargs = {name: given.in_place_of(kwargs[name]) for name in _in_order(function, kwargs)}
        self._run(lambda: function.python_function(*args, **kwargs))


def _in_order(function: Any, kwargs: Mapping[str, Any]) -> list[str]:
    """The names of keyword arguments as a graph has them: by their places, those without a place by their names."""
    known = function.function_type.parameters
    placed = [name for name, each in known.items() if each.kind is not each.KEYWORD_ONLY and name in kwargs]
    return [*placed, *sorted(set(kwargs) - set(placed))]


def forget_conversion(python_function: Any) -> None:
    """Has a bound method run as it was written: tracing made it run as AutoGraph converted it."""
    if hasattr(python_function, "__original_wrapped__"):
        python_function.__wrapped__ = python_function.__original_wrapped__


def _definition_of(capture: Capture) -> _Definition:
    header = capture.header
    for row in capture.rows("functions"):
        if row.get("runtime_name") == header.runtime_name and row.get("tracing"):
            told = json.loads(row["tracing"])
            return _Definition(header.function, str(told.get("file", "")), int(told.get("line", 0)))
    raise CaptureError(f"{capture.path} does not tell where {header.function}() is defined; take another capture")


class _StepArguments:
    """What the step was given, in the order of the arguments of its function."""

    def __init__(self, capture: Capture) -> None:
        batch = capture.batch()
        self._arguments = [batch[number] for number in sorted(batch)]
        # Earlier captures have no strings.
        self._kept = dtypes.RECORDED if any(each.dtype.kind == "O" for each in self._arguments) else dtypes.PROBED
        self._elements = list(_grouped(capture.elements()))

    def in_place_of(self, given: Any) -> Any:
        """Puts the captured tensors into the structure of the arguments."""
        import tensorflow as tf

        return tf.nest.map_structure(self._replaced, given)

    def _replaced(self, leaf: Any) -> Any:
        import numpy as np
        import tensorflow as tf

        if isinstance(leaf, tf.data.Iterator | tf.data.Dataset):
            elements = [
                tf.nest.pack_sequence_as(leaf.element_spec, [tf.constant(each) for each in element])
                for element in self._elements
            ]
            return iter(elements) if isinstance(leaf, tf.data.Iterator) else elements
        if isinstance(leaf, tf.RaggedTensor | tf.SparseTensor | tf.IndexedSlices):
            return tf.nest.map_structure(self._replaced, leaf, expand_composites=True)
        if isinstance(leaf, tf.Tensor) and leaf.dtype.as_datatype_enum not in self._kept:
            return leaf  # no capture holds it, so it stays what the program gives
        if isinstance(leaf, tf.Tensor | np.ndarray):
            if not self._arguments:
                raise CaptureError(
                    "the program calls the step with other tensors than were captured; give its own program"
                )
            return tf.constant(self._arguments.pop(0))
        return leaf


def _grouped(elements: Mapping[str, Array]) -> Iterator[list[Array]]:
    """The components of each element of a pipeline."""
    nodes = dict.fromkeys(name.partition(":")[0] for name in elements)
    for node in nodes:
        mine = {int(name.rpartition(":")[2]): array for name, array in elements.items() if name.startswith(f"{node}:")}
        yield [mine[number] for number in sorted(mine)]
