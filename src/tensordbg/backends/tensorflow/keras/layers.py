"""Knows which layer of Keras each operation belongs to, and what each layer puts out.

It stands before `Layer.__call__`, in graphs and in eager code, and only looks on. A layer's path is made of the names
of the layers that called it (`model/block/dense`), as they were called; what TensorFlow makes of them in the names of
operations depends on how often a graph was built.
"""

from __future__ import annotations

import functools
import json
import sys
import threading
import weakref
from dataclasses import dataclass, field, replace
from typing import Any

from tensordbg.backends.tensorflow.own_frames import unseen
from tensordbg.backends.tensorflow.refused import note_layer
from tensordbg.model import Site
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.recorder import Recorder

MARK = "_tensordbg"
"""Our mark on an eager tensor: (the recorder, the reference of what made it)."""

_MODULE = "keras.src.layers.layer"
_MOST_NESTED = 50

Output = tuple[str, int]
"""Name of an operation and slot."""


@dataclass
class _Call:
    """A call of a layer that is under way, or was."""

    path: str
    kind: str
    """Name of the layer's class."""
    graph: Any
    """None for eager code, and when it is over."""
    first: int = 0
    """How many operations the graph had when it began."""
    last: int = 0
    sites: list[int] = field(default_factory=list)
    """Of eager operations, outside of inner layers."""
    outputs: list[Output] = field(default_factory=list)


class _Thread(threading.local):
    """The calls that are under way in one thread."""

    def __init__(self) -> None:
        self.calls: list[_Call] = []
        self.made: dict[int, int] = {}
        """The sites of eager executions since the outermost call began."""


class KerasLayers:
    """The hook into the calls of layers."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._recorder: Recorder | None = None
        self._thread = _Thread()
        self._of_graph: weakref.WeakKeyDictionary[Any, list[_Call]] = weakref.WeakKeyDictionary()
        self._labelled: set[tuple[str, int, int, int]] = set()
        self._layer: Any = None
        self._plain: Any = None
        self._wrapped: Any = None

    def install(self, recorder: Recorder) -> None:
        """Looks on from now on, as soon as Keras is there."""
        self._recorder = recorder
        self.look()

    def uninstall(self) -> None:
        """Takes the hook out again."""
        self._recorder = None
        # Where somebody else has put a wrapper around ours, it stays and does nothing.
        if self._layer is not None and self._layer.__call__ is self._wrapped:
            self._layer.__call__ = self._plain
        self._layer = None

    def look(self) -> None:
        """Sets the hook if the program has imported Keras by now; cheap, for it is asked again and again."""
        module = sys.modules.get(_MODULE)
        layer = getattr(module, "Layer", None)
        if layer is None or self._layer is not None or self._recorder is None:
            return
        self._layer, self._plain = layer, layer.__call__
        self._wrapped = layer.__call__ = self._before(layer.__call__, self._recorder)

    @property
    def path(self) -> str:
        """The layer whose call is under way in this thread, empty where none is."""
        calls = self._thread.calls
        return calls[-1].path if calls else ""

    def ran(self, execution: int, site: int) -> None:
        """Notes an eager operation."""
        calls = self._thread.calls
        if calls:
            calls[-1].sites.append(site)
            self._thread.made[execution] = site

    def label(self, sites: list[Site], graph: Any) -> list[Site]:
        """The sites of a graph with their layers."""
        calls = self._of_graph.get(graph, [])
        around = self._thread.calls[-1:]
        if not calls and not around:
            return sites
        # What a layer has called, such as the body of its loop, belongs to it.
        inside = {site.name: call for site in sites for call in around}
        inside |= _innermost(calls, graph)
        outputs: dict[str, list[tuple[str, str, int, int]]] = {}
        for call in calls:
            for number, (name, slot) in enumerate(call.outputs):
                outputs.setdefault(name, []).append((call.path, call.kind, slot, number))
        return [replace(site, layer=_json(inside.get(site.name), outputs.get(site.name, []))) for site in sites]

    def _before(self, plain: Any, recorder: Recorder) -> Any:
        @functools.wraps(plain)  # AutoGraph goes by the module that a function says it is of
        def __call__(layer: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807  it shows in tracebacks
            call = None
            if recorder.active:
                with recorder.guard("looking at a layer"):
                    call = self._begin(layer)
            if call is None:
                return plain(layer, *args, **kwargs)
            try:
                result = plain(layer, *args, **kwargs)
            except Exception as error:
                note_layer(error, call.path, layer, (*args, *kwargs.values()))
                raise
            finally:
                self._thread.calls.pop()
            with recorder.guard("looking at what a layer gives"):
                self._end(call, result, recorder)
            return result

        return unseen(__call__)

    def _begin(self, layer: Any) -> _Call | None:
        import tensorflow as tf  # imported by the program already

        calls = self._thread.calls
        if len(calls) >= _MOST_NESTED:
            return None
        if not calls:
            self._thread.made.clear()
        path = f"{calls[-1].path}/{layer.name}" if calls else str(layer.name)
        graph = None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()
        call = _Call(path, type(layer).__name__, graph, 0 if graph is None else graph.num_operations())
        calls.append(call)
        return call

    def _end(self, call: _Call, result: Any, recorder: Recorder) -> None:
        import tensorflow as tf  # imported by the program already

        tensors = [value for value in tf.nest.flatten(result) if isinstance(value, tf.Tensor)]
        if call.graph is None:
            self._end_eager(call, tensors, recorder)
            return
        # The graph is to go when the program lets it go, so nothing that is kept may hold it.
        graph, call.graph = call.graph, None
        call.last = graph.num_operations()
        call.outputs = [(value.op.name, value.value_index) for value in tensors if value.graph is graph]
        self._of_graph.setdefault(graph, []).append(call)

    def _end_eager(self, call: _Call, tensors: list[Any], recorder: Recorder) -> None:
        """Says of the operations that have run which layer they belong to; in later steps that is known."""
        if not tensors:  # the model is only put together
            return
        for site in call.sites:
            self._add(site, (call, -1, -1))
        for number, tensor in enumerate(tensors):
            maker, reference, _ = getattr(tensor, MARK, (None, -1, -1))
            made = self._thread.made.get(int(reference) >> 16)
            if maker is recorder and made is not None:
                self._add(made, (call, int(reference) & 0xFFFF, number))

    def _add(self, site: int, said: tuple[_Call, int, int]) -> None:
        call, slot, number = said
        if (call.path, site, slot, number) in self._labelled:
            return
        self._labelled.add((call.path, site, slot, number))
        known = self._catalog.site(site)
        layer = json.loads(known.layer or '{"path": "", "class": "", "output_of": []}')
        if slot < 0:
            layer |= {"path": call.path, "class": call.kind}
        else:
            layer["output_of"].append((call.path, call.kind, slot, number))
        self._catalog.add_sites([replace(known, layer=json.dumps(layer))])


def _innermost(calls: list[_Call], graph: Any) -> dict[str, _Call]:
    """For each operation made in a layer the innermost; inner calls end before those around them."""
    operations = graph.get_operations() if calls else []
    inside: dict[str, _Call] = {}
    for call in calls:
        for operation in operations[call.first : call.last]:
            inside.setdefault(operation.name, call)
    return inside


def _json(call: _Call | None, outputs: list[tuple[str, str, int, int]]) -> str:
    if call is None and not outputs:
        return ""
    path, kind = (call.path, call.kind) if call else ("", "")
    return json.dumps({"path": path, "class": kind, "output_of": outputs})
