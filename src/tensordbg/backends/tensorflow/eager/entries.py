"""The entries from Python into TensorFlow's eager runtime, before which several layers of ours can stand at once.

All threads pass there. Recording and checking come and go independently of each other; the entries are put together
anew from TensorFlow's own each time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from tensordbg import _native
from tensordbg.backends.tensorflow.internals import pywrap_tfe
from tensordbg.backends.tensorflow.own_frames import unseen

Entry = Callable[..., Any]


class Layer(Protocol):
    """A layer that stands before the entries."""

    depth: int
    """Layers with a smaller number are called first, and see last what the operation gave."""

    def fast_path(self, plain: Entry) -> Entry:
        """An entry like `TFE_Py_FastPathExecute(context, op_type, name, *inputs_and_attributes)`, around `plain`."""

    def execute(self, plain: Entry) -> Entry:
        """One like `TFE_Py_Execute(handle, device, op_type, inputs, attributes, number of outputs)`, around `plain`."""


class Entries:
    """Puts layers before the entries and takes them away."""

    def __init__(self) -> None:
        self._layers: list[Layer] = []
        self._light: Callable[[Entry], Entry] | None = None
        self._plain: tuple[Entry, Entry, Entry] | None = None

    @property
    def fast_path(self) -> Entry:
        """TensorFlow's own entry, while any layer stands before it."""
        return pywrap_tfe.TFE_Py_FastPathExecute if self._plain is None else self._plain[0]

    @property
    def cancelable(self) -> Entry:
        """TensorFlow's own entry for calls that can be cancelled, while any layer stands before it."""
        return pywrap_tfe.TFE_Py_ExecuteCancelable if self._plain is None else self._plain[2]

    @property
    def bypassed(self) -> bool:
        """Whether this thread is at work of ours, see `bypass`."""
        return _native.at_own_work()

    def add(self, layer: Layer) -> None:
        """Has every eager operation and function call pass through a layer from now on, in every thread."""
        self._layers = sorted([*self._layers, layer], key=lambda each: -each.depth)
        if self._plain is None:
            self._plain = (
                pywrap_tfe.TFE_Py_FastPathExecute,
                pywrap_tfe.TFE_Py_Execute,
                pywrap_tfe.TFE_Py_ExecuteCancelable,
            )
        self._set(self._plain)

    def remove(self, layer: Layer) -> None:
        """Takes a layer away."""
        self._layers = [each for each in self._layers if each is not layer]
        if self._plain is not None:
            self._set(self._plain)
        if not self._layers:
            self._plain = None

    def lighten(self, light: Callable[[Entry], Entry] | None) -> None:
        """Has operations pass what `light` makes of TensorFlow's own entry, instead of the layer if it is the only one.

        Args:
            light: None has them pass the layer again.
        """
        self._light = light
        if self._plain is not None:
            self._set(self._plain)

    @contextlib.contextmanager
    def bypass(self) -> Iterator[None]:
        """Has what this thread does meanwhile pass no layer: it is work of ours, and none of the program's."""
        before = _native.begin_own_work(True)
        try:
            yield
        finally:
            _native.begin_own_work(before)

    def _set(self, plain: tuple[Entry, Entry, Entry]) -> None:
        fast_path, execute, cancelable = plain
        for layer in self._layers:
            fast_path = layer.fast_path(fast_path)
            execute, cancelable = layer.execute(execute), layer.execute(cancelable)
        if self._light is not None and len(self._layers) == 1:
            pywrap_tfe.TFE_Py_FastPathExecute = self._light(plain[0])
        else:
            pywrap_tfe.TFE_Py_FastPathExecute = self._passed(fast_path, plain[0])
        pywrap_tfe.TFE_Py_Execute = self._passed(execute, plain[1])
        pywrap_tfe.TFE_Py_ExecuteCancelable = self._passed(cancelable, plain[2])

    def _passed(self, layered: Entry, plain: Entry) -> Entry:
        return unseen(layered, plain) if self._layers else plain
