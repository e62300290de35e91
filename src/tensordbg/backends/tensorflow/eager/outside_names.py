"""Under which names the program's text has what an operation is given from outside, or the variable that it reads."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import FrameType, TracebackType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tensordbg.backends.tensorflow.attributes import with_notes
from tensordbg.backends.tensorflow.eager.element_parts import GIVING
from tensordbg.backends.tensorflow.eager.equal_names import name_of_equal
from tensordbg.backends.tensorflow.generated import is_generated
from tensordbg.backends.tensorflow.internals import resource_variable_ops
from tensordbg.backends.tensorflow.methods import ReplacedAttributes
from tensordbg.backends.tensorflow.tracing.python_names import note_name
from tensordbg.backends.tensorflow.variables import READERS
from tensordbg.model import ELEMENT_OF, PYTHON_NAMES, Site
from tensordbg.recording.bound_names import is_distinguishable, lines_that_raised, name_at, names_bound
from tensordbg.recording.failure import errors_behind
from tensordbg.recording.holders import note_wrappers
from tensordbg.recording.recorder import Recorder

_LARGEST = 1_000_000
"""Of more elements nothing is compared."""

note_wrappers("tensorflow", {"ListWrapper": "_storage", "_DictWrapper": "__wrapped__"})


class FromOutside(NamedTuple):
    """A value that an operation is given from outside."""

    place: int
    """Among its inputs: several may come in at one line."""
    value: Any
    dataset: str = ""
    """What the program calls the dataset that it is an element of."""
    raised: BaseException | None = None
    """The error of the operation, where that has raised and its frames have ended."""


def named_from_outside(site: Site, given: FromOutside, frame: FrameType, is_own: Callable[[str], bool]) -> Site:
    """A site of what comes from outside, or from a variable, with the names that the program has for it."""
    if site.op_type in GIVING:
        return replace(site, attributes=with_notes(site.attributes, {ELEMENT_OF: given.dataset or None}))
    if site.op_type != "Input":
        names = names_of_variable(given.value, frame, is_own)
    elif given.raised is not None:
        names = names_where_raised(given.raised, given.value, is_own)
    else:
        names = outside_names(given.value, frame, is_own)
    if not names:
        return site
    # What came in has no other name; a variable's operation has that of its type.
    name = site.name if site.op_type in READERS else names[0]
    return replace(site, name=name, attributes=with_notes(site.attributes, {PYTHON_NAMES: [names]}))


def outside_names(value: Any, frame: FrameType | None, is_own: Callable[[str], bool]) -> list[str]:
    """The names of a value that comes in from outside, innermost first, or the literal that it was made from.

    Args:
        value: A tensor, or what TensorFlow makes one of.
        frame: The innermost frame.
        is_own: Whether a file is the program's own.
    """
    names = names_bound(frame, lambda each: each is value, is_own) if is_distinguishable(value) else []
    array = None if names else _elements(value)
    equal = "" if array is None else name_of_equal(frame, array, is_own)
    return [equal] if equal else names


def name_where_raised(error: BaseException, value: Any, is_own: Callable[[str], bool]) -> str:
    """The name that the innermost line in the traceback of an error has for an object, empty where none has one."""
    lines = _lines_of(error, is_own)
    return next((name for each in lines if (name := name_at(each, lambda held: held is value))), "")


def names_where_raised(error: BaseException, value: Any, is_own: Callable[[str], bool]) -> list[str]:
    """As `outside_names`, of what an operation was given that has raised."""
    told = (name_where_raised(each, value, is_own) for each in errors_behind(error) if is_distinguishable(value))
    name = next(filter(None, told), "")
    array = None if name else _elements(value)
    innermost = [next(_lines_of(each, is_own), None) for each in errors_behind(error)]
    line = next(filter(None, reversed(innermost)), None)
    # A frame that goes on, from where the error was caught, runs another call by now.
    if array is not None and line is not None and line.tb_lasti == line.tb_frame.f_lasti:
        name = name_of_equal(line.tb_frame, array, is_own)
    return [name] if name else []


def _lines_of(error: BaseException, is_own: Callable[[str], bool]) -> Iterator[TracebackType]:
    """The program's own lines in the traceback of an error, innermost first."""
    return lines_that_raised(error, _or_generated(is_own))


def names_of_variable(handle: Any, frame: FrameType | None, is_own: Callable[[str], bool]) -> list[str]:
    """The names of the variable of a handle, innermost first."""
    return names_bound(frame, lambda each: each is handle or _is_of(each, handle), is_own)


def own_files(recorder: Recorder) -> Callable[[str], bool]:
    """Tells whether a file is the program's own, or was generated from such."""
    return _or_generated(recorder.catalog.user_code.is_user)


def _or_generated(is_own: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda file: is_generated(file) or is_own(file)


class VariableNames:
    """Notes the names of the variables that graphs read, while they are built; the hook for one recording."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._is_own = own_files(recorder)
        self._replaced = ReplacedAttributes()

    def install(self) -> None:
        """Looks on from now on."""
        self._replaced.replace(resource_variable_ops.BaseResourceVariable, "_read_variable_op", self._watching)

    def uninstall(self) -> None:
        """Takes the hook out again."""
        self._replaced.restore()

    def _watching(self, plain: Any) -> Any:
        def _read_variable_op(variable: Any, *args: Any, **kwargs: Any) -> Any:
            result = plain(variable, *args, **kwargs)
            if not hasattr(result, "numpy") and self._recorder.active:
                with self._recorder.guard("noting the name of a variable"):
                    for name in names_of_variable(variable.handle, sys._getframe(1), self._is_own):  # noqa: SLF001
                        note_name(name, result)
            return result

        return _read_variable_op


def _is_of(value: Any, handle: Any) -> bool:
    """Whether a value is the variable of a handle, TensorFlow's own or one of Keras that holds it."""
    if issubclass(type(value), resource_variable_ops.BaseResourceVariable):
        return value._handle is handle  # noqa: SLF001
    try:
        held = object.__getattribute__(value, "__dict__").get("_value")
    except AttributeError:
        return False
    return issubclass(type(held), resource_variable_ops.BaseResourceVariable) and held._handle is handle  # noqa: SLF001


def _elements(value: Any) -> npt.NDArray[Any] | None:
    """Those of a tensor on the CPU, or of what one is made of; None where they are not at hand."""
    if hasattr(value, "_datatype_enum"):
        if "CPU" not in value.device or value.shape.num_elements() > _LARGEST:
            return None
        return np.asarray(value.numpy())
    try:
        return np.asarray(value)
    except (TypeError, ValueError):
        return None
