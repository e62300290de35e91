"""Refusals in Python, before anything was computed: an operation that can't be built, a layer's inputs.

TensorFlow and Keras take their own frames off the tracebacks of such errors, and with them the tensors that were
refused. So these are noted on the exception as it goes by, and looked at only where it ends the program.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tensordbg.backends.tensorflow.internals import op_def_library, op_def_registry
from tensordbg.backends.tensorflow.methods import ReplacedAttributes
from tensordbg.packages import FRAMEWORKS, is_of
from tensordbg.recording.recorder import Recorder

_OPERATION = "_tensordbg_refused_operation"
_LAYER = "_tensordbg_refused_by_layer"
_MOST_CAUSES = 100


@dataclass(frozen=True)
class RefusedOperation:
    """An operation that could not be added to a graph."""

    op_type: str
    name: str
    arguments: Mapping[str, Any]
    """Its inputs and attributes, by their names."""

    def inputs(self, named: str = "") -> list[Any]:
        """The inputs that it would have taken, in order, lists spread out; of one parameter where it is named."""
        definition = op_def_registry.get(self.op_type)
        arguments = () if definition is None else definition.input_arg
        arguments = [argument for argument in arguments if argument.name == named] or arguments
        return [each for argument in arguments for each in _spread(self.arguments.get(argument.name))]


@dataclass(frozen=True)
class RefusingLayer:
    """A layer whose call ended with an error."""

    path: str
    of_framework: bool
    """Whether it is one of Keras's own, so that what it raised is no error of the program's."""
    given: tuple[Any, ...]


class RefusedOperations:
    """The hook into the building of operations, for one recording."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._replaced = ReplacedAttributes()

    def install(self) -> None:
        """Looks on from now on."""
        self._replaced.replace(op_def_library, "_apply_op_helper", self._watching)

    def uninstall(self) -> None:
        """Takes the hook out again."""
        self._replaced.restore()

    def _watching(self, plain: Any) -> Any:
        def _apply_op_helper(op_type_name: str, name: Any = None, **keywords: Any) -> Any:
            try:
                return plain(op_type_name, name, **keywords)
            except Exception as error:
                if self._recorder.active:
                    called = str(name or op_type_name).rstrip("/")
                    _note(error, _OPERATION, RefusedOperation(op_type_name, called, keywords))
                raise

        return _apply_op_helper


def note_layer(error: BaseException, path: str, layer: object, given: Iterable[Any]) -> None:
    """Notes in which layer an error came up; the first to note it is the innermost."""
    _note(error, _LAYER, RefusingLayer(path, is_of(type(layer).__module__, FRAMEWORKS), tuple(given)))


def operation_behind(error: BaseException) -> RefusedOperation | None:
    """The operation whose refusal an exception comes from, None where it comes from none."""
    return next(_noted(error, _OPERATION), None)


def layer_behind(error: BaseException) -> RefusingLayer | None:
    """The innermost layer in which an exception came up, None where it came up in none."""
    return next(iter([*_noted(error, _LAYER)][::-1]), None)


def _note(error: BaseException, name: str, what: object) -> None:
    with contextlib.suppress(AttributeError):
        if not hasattr(error, name):
            setattr(error, name, what)


def _noted(error: BaseException, name: str) -> Iterator[Any]:
    """What was noted on the exception and on those that it was raised for, the last first.

    AutoGraph and Keras raise another one instead and hide the first, so that is no sign that the program hides it.
    """
    seen: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and len(seen) < _MOST_CAUSES and all(following is not each for each in seen):
        seen.append(following)
        if hasattr(following, name):
            yield getattr(following, name)
        following = following.__cause__ or following.__context__


def _spread(value: Any) -> Iterator[Any]:
    """The tensors in a list of them; anything else by itself."""
    if isinstance(value, (list, tuple)) and any(hasattr(each, "dtype") for each in value):
        yield from value
    elif value is not None:
        yield value
