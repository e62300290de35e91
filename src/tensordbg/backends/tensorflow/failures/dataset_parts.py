"""Parts of a dataset's elements, each by the tensor that it is: of a function of the dataset, or of what it began with.

Only what hands its parts on one by one is gone through: `batch`, `shuffle`, `repeat`, `zip`, and `map` by the graph of
its function. Of anything else nothing is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensordbg.model import StatedTensor

_UNKNOWN = StatedTensor("", "", "", None)
_DEEPEST = 200

Outside = dict[tuple[int, str], Any]
"""What functions were given, by the identity of the graph and the name of the argument."""


def parts_of_dataset(dataset: Any) -> tuple[list[Any], Outside]:
    """The tensor of each part, and what stands for the arguments of the functions on the way."""
    outside: Outside = {}
    return _parts(dataset, outside, _DEEPEST), outside


def _parts(dataset: Any, outside: Outside, depth: int) -> list[Any]:
    import tensorflow as tf  # imported by the program already

    specs = tf.nest.flatten(dataset.element_spec)
    unknown = [_UNKNOWN] * len(specs)
    if not depth or not all(isinstance(each, tf.TensorSpec) for each in specs):
        return unknown
    begun_with = getattr(dataset, "_tensors", None)
    if isinstance(begun_with, list):
        return begun_with if _are_of(begun_with, specs) else unknown
    before = [each for part in dataset._inputs() for each in _parts(part, outside, depth - 1)]  # noqa: SLF001  noted in `internals`
    functions = dataset._functions()  # noqa: SLF001  likewise
    if not functions:
        return before if len(before) == len(specs) else unknown
    graph = getattr(functions[0].function, "graph", None)
    if len(functions) > 1 or graph is None or not _are_of(graph.outputs, specs):
        return unknown
    captured = {inner.name for _, inner in graph.captures}
    arguments = [each for each in graph.inputs if each.name not in captured]
    if len(arguments) == len(before):
        outside.update({(id(graph), str(inner.name)): outer for inner, outer in zip(arguments, before, strict=True)})
    return list(graph.outputs)


def _are_of(tensors: Sequence[Any], specs: Sequence[Any]) -> bool:
    """Whether these may be the parts: as many, each of its type."""
    return len(tensors) == len(specs) and all(
        each.dtype == spec.dtype for each, spec in zip(tensors, specs, strict=True)
    )
