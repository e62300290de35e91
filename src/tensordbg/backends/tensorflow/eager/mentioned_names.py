"""Notes under which names the program's lines mention what comes into a graph: its arguments, arrays, numbers.

Keras calls `train_step` and `call` of the program by itself, so nothing tells that what it hands over is `x` there but
the lines that use it. An array becomes a constant of the graph, whose name is that of the operation which takes it.
"""

from __future__ import annotations

import sys
from typing import Any

from tensordbg.backends.tensorflow.eager.outside_names import outside_names, own_files
from tensordbg.backends.tensorflow.generated import GeneratedCode
from tensordbg.backends.tensorflow.internals import constant_op, op_def_library
from tensordbg.backends.tensorflow.methods import ReplacedAttributes
from tensordbg.backends.tensorflow.tracing.placed_names import note_in_place
from tensordbg.backends.tensorflow.tracing.python_names import note_name
from tensordbg.recording.bound_names import bindings
from tensordbg.recording.recorder import Recorder

_ARGUMENT = "Placeholder"


class MentionedNames:
    """The hooks for one recording."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._is_own = own_files(recorder)
        self._generated = GeneratedCode()
        self._replaced = ReplacedAttributes()

    def install(self) -> None:
        """Looks on from now on."""
        self._replaced.replace(op_def_library, "_apply_op_helper", self._watching_operation)
        self._replaced.replace(constant_op, "_constant_impl", self._watching_constant)

    def uninstall(self) -> None:
        """Takes the hooks out again."""
        self._replaced.restore()

    def _watching_operation(self, plain: Any) -> Any:
        def _apply_op_helper(op_type_name: Any, name: Any = None, **keywords: Any) -> Any:
            if self._recorder.active:
                with self._recorder.guard("noting the names of arguments"):
                    for given in keywords.values():
                        self._note_argument(given)
            return plain(op_type_name, name, **keywords)

        return _apply_op_helper

    def _note_argument(self, given: Any) -> None:
        if hasattr(given, "_datatype_enum") or getattr(getattr(given, "op", None), "type", None) != _ARGUMENT:
            return
        for frame, name in bindings(sys._getframe(2), lambda each: each is given, self._is_own):  # noqa: SLF001
            note_name(name, given)
            place = frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
            ((file, _, function),) = self._generated.original((place,))
            note_in_place((file, function), name, given)

    def _watching_constant(self, plain: Any) -> Any:
        def _constant_impl(value: Any, *more: Any, **options: Any) -> Any:
            result = plain(value, *more, **options)
            if self._recorder.active and not hasattr(result, "_datatype_enum"):
                with self._recorder.guard("noting the name of a constant"):
                    # A literal is the constant's value, which is known anyway.
                    for name in outside_names(value, sys._getframe(1), self._is_own):  # noqa: SLF001
                        if name[0].isalpha() or name[0] == "_":
                            note_name(name, result)
            return result

        return _constant_impl
