"""Notes what a program differentiates for its variables: the losses, as a fact instead of a guess.

A tensor of a graph is noted by its name, as it has no site before its function is made; it is told when the site is
described. An eager one is told at once, of its site, or of that which made the function's result: so once for each
line, not for each step.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

from tensordbg.backends.tensorflow.attributes import with_notes
from tensordbg.backends.tensorflow.internals import gradients_util, imperative_grad
from tensordbg.backends.tensorflow.keras.layers import MARK
from tensordbg.backends.tensorflow.methods import ReplacedAttributes
from tensordbg.backends.tensorflow.tracing.graph_tensors import is_of_graph
from tensordbg.model import DIFFERENTIATED, NONE
from tensordbg.recording.recorder import Recorder

_NOTED: weakref.WeakKeyDictionary[Any, dict[str, list[int]]] = weakref.WeakKeyDictionary()
"""By graph and operation the outputs; a graph that was traced in one recording may run in a later one."""

_WITHOUT: list[weakref.ref[Any]] = []
"""What was differentiated last, where that gave no gradient at all."""

_CALLED_BY = ("gradients", "gradients_v2")
"""The functions of TensorFlow by which programs ask; it calls what is below them for affairs of its own too."""

_PASSING = "Identity"
"""What it passes on is noted itself, as it is not recorded where it only passes on."""

_VARIABLES = frozenset({"VarHandleOp", "ReadVariableOp", "VariableV2", "Variable"})


class Differentiated:
    """The hooks for one recording."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._replaced = ReplacedAttributes()

    def install(self) -> None:
        """Looks on from now on."""
        self._replaced.replace(imperative_grad, "imperative_grad", self._watching_tape)
        self._replaced.replace(gradients_util, "_GradientsHelper", self._watching_gradients)

    def uninstall(self) -> None:
        """Takes the hooks out again."""
        self._replaced.restore()

    def _watching_tape(self, plain: Any) -> Any:
        def differentiate(tape: Any, target: Any, sources: Any, *args: Any, **kwargs: Any) -> Any:
            self._differentiated(target, sources)
            found = plain(tape, target, sources, *args, **kwargs)
            self._found(target, found)
            return found

        return differentiate

    def _watching_gradients(self, plain: Any) -> Any:
        def differentiate(ys: Any, xs: Any, *args: Any, **kwargs: Any) -> Any:
            if sys._getframe(1).f_code.co_name in _CALLED_BY:  # noqa: SLF001
                self._differentiated(ys, xs)
            found = plain(ys, xs, *args, **kwargs)
            if sys._getframe(1).f_code.co_name in _CALLED_BY:  # noqa: SLF001
                self._found(ys, found)
            return found

        return differentiate

    def _found(self, targets: Any, gradients: Any) -> None:
        """Keeps in mind of what a program has just found no gradient at all."""
        with self._recorder.guard("noting what has no gradient"):
            none = all(each is None for each in _flat(gradients))
            _WITHOUT[:] = [weakref.ref(each) for each in _flat(targets) if _is_tensor(each)] if none else []

    def _differentiated(self, targets: Any, sources: Any) -> None:
        with self._recorder.guard("noting what is differentiated"):
            if self._recorder.active and any(_is_variable(each) for each in _flat(sources)):
                self._note(_flat(targets))

    def _note(self, targets: Iterable[Any]) -> None:
        for each in targets:
            mark = getattr(each, MARK, None)
            if mark is not None:
                self._tell(mark)
            elif is_of_graph(each):
                made = each
                while made.op.type == _PASSING:
                    made = made.op.inputs[0]
                slots = _NOTED.setdefault(made.graph, {}).setdefault(made.op.name, [])
                if made.value_index not in slots:
                    slots.append(made.value_index)

    def _tell(self, mark: Any) -> None:
        recorder, reference, maker = mark
        if recorder is not self._recorder:
            return
        site, slot = maker, reference & 0xFFFF
        if maker < 0:
            outputs = recorder.catalog.function(~maker).outputs
            site, slot = (outputs[slot].site, outputs[slot].slot) if slot < len(outputs) else (NONE, 0)
        known = recorder.catalog.site(site) if site != NONE else None
        # An eager one is recorded, and has no inputs here.
        while known is not None and known.op_type == _PASSING and known.inputs:
            site, slot = known.inputs[0].site, known.inputs[0].slot
            known = recorder.catalog.site(site) if site != NONE else None
        if known is not None:
            recorder.catalog.set_differentiated(site, slot)


def with_differentiated(attributes: str, graph: Any, operation: str) -> str:
    """The attributes of an operation of a graph, with those of its outputs that are differentiated."""
    return with_notes(attributes, {DIFFERENTIATED: _NOTED.get(graph, {}).get(operation)})


def targets_without_gradient() -> list[Any]:
    """Returns what was differentiated last, where that gave no gradient at all and it is still there."""
    return [target for reference in _WITHOUT if (target := reference()) is not None]


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "_datatype_enum") or is_of_graph(value)


def _is_variable(source: Any) -> bool:
    """Whether a gradient is taken for a variable: for itself, its handle, or what was read of one."""
    dtype = getattr(source, "dtype", None)
    return (
        hasattr(source, "handle")
        or getattr(dtype, "name", "") == "resource"
        or getattr(getattr(source, "op", None), "type", "") in _VARIABLES
    )


def _flat(values: Any) -> Iterator[Any]:
    """Tensors and variables in lists, tuples and dictionaries."""
    if isinstance(values, dict):
        values = list(values.values())
    if not isinstance(values, (list, tuple)):
        yield values
        return
    for each in values:
        yield from _flat(each)
