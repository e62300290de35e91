"""Inputs of Python code of TensorFlow or Keras that raised: `tf.debugging.assert_rank`, a loss, `set_shape`.

No operation tells of such an error. What was refused stands among the arguments of the frame that raised. TensorFlow
and Keras take their frames off the tracebacks, and where they do, it is noted on the exception.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
from types import TracebackType
from typing import Any

from tensordbg.backends.tensorflow.failures.data_values import note_data_values
from tensordbg.backends.tensorflow.failures.frame_arguments import MOST, arguments_of, is_in, once, tensors_in
from tensordbg.backends.tensorflow.failures.outside_values import note_outside_values
from tensordbg.backends.tensorflow.failures.ragged_operands import note_ragged_operands
from tensordbg.backends.tensorflow.failures.uneven_lists import note_uneven_list
from tensordbg.backends.tensorflow.internals import python_function_inputs, traceback_utils, was_caught_while_traced
from tensordbg.backends.tensorflow.methods import ReplacedAttributes
from tensordbg.packages import FRAMEWORKS, is_among_packages, is_part_of
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.imports import ImportWatch
from tensordbg.recording.recorder import Recorder

_NOTE = "_tensordbg_refused_in_python"
_GIVEN = "_tensordbg_python_function_given"
_OF_KERAS = ("keras.src.utils.traceback_utils", "tf_keras.src.utils.traceback_utils")
_TAKES_OFF = "_process_traceback_frames"
"""The function of these modules, and of TensorFlow's, that takes frames off a traceback."""

_HANDING_ON = ("dispatch.py", "traceback_utils.py")
"""Files whose functions call another with what they are given."""
_MOST_CAUSES = 100


class RefusedInPython:
    """The hook into what takes frames off tracebacks, for one recording."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._replaced = ReplacedAttributes()
        self._watch: ImportWatch | None = None

    def install(self) -> None:
        """Looks on from now on, in Keras as soon as it is there."""
        self._replaced.replace(traceback_utils, _TAKES_OFF, self._noting)
        self._watch = ImportWatch({name: lambda name=name: self._of(name) for name in _OF_KERAS})  # type: ignore[misc]
        self._watch.start()

    def uninstall(self) -> None:
        """Takes the hooks out again."""
        if self._watch is not None:
            self._watch.stop()
        self._replaced.restore()

    def _of(self, module: str) -> None:
        with self._recorder.guard("looking on at the errors of Keras"):
            self._replaced.replace(sys.modules[module], _TAKES_OFF, self._noting)

    def _noting(self, plain: Any) -> Any:
        def _process_traceback_frames(trace: Any) -> Any:
            error = sys.exc_info()[1]
            if self._recorder.active and error is not None:
                with self._recorder.guard("looking at what was refused"):
                    note_outside_values(error, trace)
                    note_data_values(error, trace)
                    note_uneven_list(error, trace)
                    note_ragged_operands(error, trace)
                    _note(error, _innermost_inputs(trace), _GIVEN)
                    _note(error, _refused(trace, self._recorder.catalog, getattr(error, _NOTE, [])))
            return plain(trace)

        return _process_traceback_frames


def refused_in_python(error: BaseException, catalog: Catalog) -> list[Any]:
    """The tensors that the framework's function was given which raised; none where a function of the program did."""
    found: list[Any] = []
    seen: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and len(seen) < _MOST_CAUSES and all(following is not each for each in seen):
        seen.append(following)
        # AutoGraph and Keras raise another one of the same class; where the first came up is what counts. With it
        # AutoGraph gives the arguments of the function of the program.
        found = [] if was_caught_while_traced(following) else found
        if type(following).__name__ == type(error).__name__:
            here = _refused(following.__traceback__, catalog, getattr(following, _NOTE, []))
            found = [each for each in here if is_in(each, found)] or here or found
        following = following.__cause__ or following.__context__
    return found


def inputs_of_python_function(error: BaseException) -> list[Any]:
    """The inputs of a Python function that raised and that `tf.numpy_function` called eagerly; else none."""
    given: list[Any] = getattr(error, _GIVEN, [])
    return given


def _note(error: BaseException, given: list[Any], name: str = _NOTE) -> None:
    if given:
        with contextlib.suppress(AttributeError):
            setattr(error, name, given)


def _innermost_inputs(trace: TracebackType | None) -> list[Any]:
    """Of the innermost call of a Python function by `tf.numpy_function`; nothing where no function was called yet."""
    frames = [frame for frame, _ in traceback.walk_tb(trace)]
    return next((given for frame in reversed(frames[:-1]) if (given := python_function_inputs(frame))), [])


def _refused(trace: TracebackType | None, catalog: Catalog, known: list[Any]) -> list[Any]:
    """The tensors in the arguments of the innermost frame that has some, as long as no frame of the program comes.

    What such a function makes itself to look at them is left out: those count that its callers have, too.
    """
    given, of = known, ""
    for frame in reversed([frame for frame, _ in traceback.walk_tb(trace)]):
        file = frame.f_code.co_filename
        if catalog.user_code.is_user(file) or not is_among_packages(file):
            break
        if is_part_of(file, FRAMEWORKS):
            here = once(tensors_in(arguments_of(frame)))
            if given and of not in ("", file) and not file.endswith(_HANDING_ON):
                break  # who calls it from elsewhere may have more of its own, and less of what was refused
            given = here if not given else [each for each in given if is_in(each, here)] or given
            of = file if given and not file.endswith(_HANDING_ON) else of
    return given if len(given) <= MOST else []
