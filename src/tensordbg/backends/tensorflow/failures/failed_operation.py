"""Says of an error of TensorFlow's which operation it is from: its site, and the execution that it was in."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tensordbg.backends.tensorflow.failures.asked_by_program import asked_by_program
from tensordbg.backends.tensorflow.failures.outside_values import outside_values
from tensordbg.backends.tensorflow.failures.python_calls import python_calls_of
from tensordbg.backends.tensorflow.failures.python_in_message import with_own_frames
from tensordbg.backends.tensorflow.failures.ragged_operands import ragged_operands
from tensordbg.backends.tensorflow.failures.refused_in_python import inputs_of_python_function, refused_in_python
from tensordbg.backends.tensorflow.failures.stated import stated_tensors
from tensordbg.backends.tensorflow.failures.unbuilt import Unbuilt, unbuilt
from tensordbg.backends.tensorflow.failures.uneven_lists import uneven_list, uneven_part
from tensordbg.backends.tensorflow.failures.unrecorded import stated_input
from tensordbg.backends.tensorflow.functions.names import name_in_graph
from tensordbg.backends.tensorflow.internals import tracing_error
from tensordbg.backends.tensorflow.refused import RefusedOperation, RefusingLayer, layer_behind, operation_behind
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.backends.tensorflow.tracing.differentiated import targets_without_gradient
from tensordbg.model import NONE, Site, StatedInput, StatedTensor
from tensordbg.operations.frameworks import TENSORFLOW
from tensordbg.packages import FRAMEWORKS, is_part_of
from tensordbg.recording.asked_where_raised import AskedTensor
from tensordbg.recording.catalog import Catalog, RawFrame
from tensordbg.recording.failure import FailedOperation, Telling

_TAG = re.compile(r"\{\{(node|function_node) ([^}]+)\}\}")
_TRACE = re.compile(r"\n\t \[\[.*|\s*\[Op:[^\]]*\](?: name: ?(?=\n|$))?", re.DOTALL)
_BOLD = re.compile(r"\x1b\[\d*m")
"""Keras makes words bold, wherever they are to be read."""
_PARAMETER = re.compile(r"passed to parameter '(\w+)' has DataType")
_NO_GRADIENT = "No gradients provided for any variable"
"""What optimizers say, who are not given the loss."""

_MOST_LINES = 12


def failed_eagerly(site: int, begin: Callable[[BaseException], int]) -> Telling:
    """Describes an eager operation; `begin` records that it ran, with its inputs, and gives the execution."""
    begun: list[int] = []  # it is asked again at the end

    def tell(error: BaseException) -> FailedOperation:
        layer = layer_behind(error)
        path = "" if layer is None else layer.path
        raw = str(error)
        if not begun:
            begun.append(begin(error))
        calls = tuple(python_calls_of(raw))
        return FailedOperation(
            type(error).__name__, _words(raw), site, begun[0], nodes=_nodes(raw), layer=path, python_calls=calls
        )

    return tell


def failed_in_function(catalog: Catalog, runtime_name: str, execution: int, raw: str) -> Telling:
    """Describes a failure in a function's call or a session's run; `raw` is the message as the runtime gave it."""

    def tell(error: BaseException) -> FailedOperation:
        site = _site(catalog, runtime_name, raw)
        number = NONE if site is None else site.site
        calls = tuple(python_calls_of(raw))
        return FailedOperation(
            type(error).__name__, _words(raw), number, execution, nodes=_nodes(raw), python_calls=calls
        )

    return tell


def failed_in_python(
    catalog: Catalog, stacks: Stacks, error: BaseException, name_of: Callable[[Any], str]
) -> FailedOperation | None:
    """Describes an error of TensorFlow's or Keras's Python code, or one while a function was traced; else None.

    So do assertions, operations that can't be built, and layers that refuse what they are given.

    Args:
        catalog: What is known of the program.
        stacks: The stacks of operations.
        error: The error.
        name_of: Gives the name that the lines which failed have for a value, empty where they have none.
    """
    import tensorflow as tf  # imported by the program already

    if isinstance(error, Exception) and (asked := asked_by_program(error, catalog)):
        return _of_program(catalog, stacks, error, asked)
    frames = _frames(error)
    traced = tracing_error(error)
    operation, layer = operation_behind(error), layer_behind(error)
    in_python = refused_in_python(error, catalog) or inputs_of_python_function(error)
    of_frameworks = (
        isinstance(error, tf.errors.OpError)
        or bool(frames and _is_of_frameworks(catalog, frames[-1][0]))
        or operation is not None
        or bool(in_python)
        or (layer is not None and layer.of_framework)
    )
    if not isinstance(error, Exception) or not (of_frameworks or traced is not None):
        return None
    inner, message = traced or ([], str(error))
    refused = unbuilt(message)
    if operation is not None and not refused.op_type:
        refused = Unbuilt(operation.name, operation.op_type)
    given = _refused_values(operation, layer, message) if operation is not None or not in_python else in_python
    if _NO_GRADIENT in message:
        given = [*targets_without_gradient(), *given]
    tensors = stated_tensors(given, stacks, outside_values(error))
    _use(catalog, tensors)
    if not refused.inputs:
        inputs = (stated_input(each, value, name_of) for each, value in zip(tensors, given, strict=False))
        refused = replace(refused, inputs=tuple(inputs))
        named = (replace(each, tensor=given.tensor) for each, given in zip(tensors, refused.inputs, strict=False))
        tensors = (*named, *tensors[len(refused.inputs) :])
    elif len(refused.inputs) != len(given):
        tensors = ()
    if (uneven := uneven_list(error)) is not None:
        listed = StatedInput(name_of(uneven) or "list", "", None, uneven_part(uneven))
        refused, tensors = replace(refused, inputs=(listed,)), ()
    elif ragged := ragged_operands(error, name_of):
        refused, tensors = replace(refused, inputs=ragged), ()
    site = _site_in_python(catalog, (*frames, *inner), refused)
    words = _words(_TAG.sub(r"\2", message))
    path = "" if layer is None else layer.path
    return FailedOperation(type(error).__name__, words, site, inputs=refused.inputs, tensors=tensors, layer=path)


def _of_program(
    catalog: Catalog, stacks: Stacks, error: BaseException, asked: Sequence[AskedTensor]
) -> FailedOperation:
    """Describes an error of the program's own code, with the tensors of which it asked where it raised."""
    inner, message = tracing_error(error) or ([], str(error))
    tensors = stated_tensors([each.value for each in asked], stacks, outside_values(error))
    named = [replace(each, called=by.name) for each, by in zip(tensors, asked, strict=False)]
    _use(catalog, tensors)
    return FailedOperation(
        type(error).__name__,
        _words(_TAG.sub(r"\2", message)),
        _site_in_python(catalog, (*_frames(error), *inner), Unbuilt("", "")),
        inputs=tuple(
            StatedInput(by.name, each.dtype, each.shape, asked=by.what)
            for each, by in zip(tensors, asked, strict=False)
        ),
        tensors=(*named, *tensors[len(named) :]),
        layer="" if (layer := layer_behind(error)) is None else layer.path,
    )


def _frames(error: BaseException) -> list[RawFrame]:
    return [(frame.filename, frame.lineno or 0, frame.name) for frame in traceback.extract_tb(error.__traceback__)]


def _use(catalog: Catalog, tensors: Sequence[StatedTensor]) -> None:
    """Has the trace describe the stacks of some tensors."""
    for each in tensors:
        if each.stack != NONE:
            catalog.use_stack(each.stack)


def _site_in_python(catalog: Catalog, frames: Sequence[RawFrame], refused: Unbuilt) -> int:
    """The number of a new site, of a place in Python code, with the operation that was not built there."""
    with catalog.lock:
        stack = catalog.stack(tuple(frames))
        site = catalog.new_sites(1)
        catalog.add_sites([Site(site, refused.name, refused.op_type, NONE, stack, framework=TENSORFLOW)])
    return site


def _refused_values(operation: RefusedOperation | None, layer: RefusingLayer | None, message: str) -> list[Any]:
    """What was refused: the inputs of the operation, or of a parameter that is named, else what a layer was given."""
    import tensorflow as tf  # imported by the program already

    if operation is not None:
        named = _PARAMETER.search(message)
        return operation.inputs("" if named is None else named[1])
    flat = [] if layer is None else tf.nest.flatten(list(layer.given))
    return [each for each in flat if hasattr(each, "shape") and hasattr(each, "dtype")]


def _is_of_frameworks(catalog: Catalog, file: str) -> bool:
    return not catalog.user_code.is_user(file) and is_part_of(file, FRAMEWORKS)


def _nodes(message: str) -> tuple[str, ...]:
    """The names of the operations that the runtime names in a message, each in whatever function it is."""
    return tuple(name for kind, name in _TAG.findall(message) if kind == "node")


def _words(message: str) -> str:
    """The message without what the runtime writes around it for TensorFlow's own use."""
    plain = with_own_frames(_TRACE.sub("", _TAG.sub("", _BOLD.sub("", message))).strip())
    return "\n".join(plain.splitlines()[:_MOST_LINES]).removesuffix(" name:")


def _site(catalog: Catalog, runtime_name: str, message: str) -> Site | None:
    """The operation that a message names, in the function or in one that it calls."""
    tags = _TAG.findall(message)
    functions = [name for kind, name in tags if kind == "function_node"]
    nodes = [name for kind, name in tags if kind == "node"]
    # The runtime names functions as the graph does that ran; elsewhere the name may mean another one.
    called = {name_in_graph(name): name for name in _functions_below(catalog, [runtime_name])}
    first = [called.get(name, name) for name in reversed(functions)]
    below = _functions_below(catalog, [*first, runtime_name])
    sites = [site for name in below for site in catalog.sites_of_function(name)]
    for node in nodes:
        named = [site for site in sites if node == site.name or node.endswith(f"/{site.name}")]
        if named:
            return max(named, key=lambda site: len(site.name))
    return None


def _functions_below(catalog: Catalog, names: list[str]) -> list[str]:
    """Functions and all that they call, each once."""
    waiting, found = list(names), dict[str, None]()
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            found[name] = None
            waiting.extend(called for site in catalog.sites_of_function(name) for called in site.called)
    return list(found)
