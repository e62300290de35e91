"""Gives the runtime the functions of a capture, with what the capturing process knew of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.collective_nodes import exchanges
from tensordbg.backends.tensorflow.functions.graphs import RestoredGraph
from tensordbg.backends.tensorflow.functions.passed_handles import handles_by_function
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.internals import atomic_function, context, function_def_to_graph, op_def_registry
from tensordbg.backends.tensorflow.replay.names import give_free_names
from tensordbg.backends.tensorflow.trap.rows import called_functions
from tensordbg.capture.reader import Capture
from tensordbg.errors import CaptureError
from tensordbg.model import SourceFile
from tensordbg.recording.catalog import CATALOG
from tensordbg.trace.program.rows import function_from_row, site_from_row, source_from_row, stack_from_row

_ELEMENT = "tdbg_element_"
_ONLY_IN_PYTHON = ("_gradient_op_type",)
"""Attributes that name what a Python process had registered."""


def name_of_element(tensor: str) -> str:
    """The argument that takes the place of what came from an input pipeline."""
    return _ELEMENT + "".join(sign if sign.isalnum() else "_" for sign in tensor).lower()


_REWRITTEN = "_rewritten"
"""What TensorFlow adds to the name of a branch, also of one in a branch, that gives a gradient what it needs."""


def read_library(capture: Capture) -> Any:
    """The functions of a capture, the step's first, as a FunctionDefLibrary.

    Raises:
        CaptureError: If they can't be read.
    """
    from google.protobuf.message import DecodeError
    from tensorflow.core.framework import function_pb2

    library = function_pb2.FunctionDefLibrary()
    try:
        library.ParseFromString(capture.function())
    except DecodeError as error:
        raise CaptureError(f"{capture.path}: its functions can't be read: {error}; take another capture") from None
    if not library.function or library.function[0].signature.name != capture.header.runtime_name:
        raise CaptureError(f"{capture.path} lacks the function {capture.header.runtime_name}; take another capture")
    return library


def load_library(capture: Capture, library: Any, handles: Mapping[int, Any]) -> list[Any]:
    """Gives the functions to the runtime, with what the capture knows of them.

    Args:
        capture: The capture.
        library: Its functions, the step's first.
        handles: Of the variables that the step is given, by the number of the argument.

    Returns:
        The functions, which live as long as Python holds them, the step's last.

    Raises:
        CaptureError: If they can't be loaded.
    """
    told = _known_functions(capture)
    captured = give_free_names(library, _is_taken)
    handles_of = handles_by_function(library, handles)
    loaded = []
    for definition in callees_first(library):
        name = definition.signature.name
        for node in definition.node_def:
            for attribute in _ONLY_IN_PYTHON:
                node.attr.pop(attribute, None)
        try:
            graph = function_def_to_graph.function_def_to_graph(definition)
            for number, handle in handles_of.get(name, {}).items():
                hooks().variables.stand_for(graph.inputs[number], handle)
            restored = _restored(told, captured[name])
            if restored is not None:
                hooks().graphs.restored[graph] = restored
            loaded.append(atomic_function.from_func_graph(name, graph, dict(definition.attr)))
        except Exception as error:
            first = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise CaptureError(
                f"{capture.path} has a function {captured[name]} that can't be loaded: {first}"
            ) from error
    return loaded


def _is_taken(name: str) -> bool:
    """Whether there is a function of a name, or has been one of which something is known."""
    return bool(context.context().has_function(name)) or hooks().functions.find(name) is not None


def random_operations(library: Any) -> tuple[str, ...]:
    """Names of the operations that draw random numbers from a state of their own, which no variable holds."""
    nodes = [node for definition in library.function for node in definition.node_def]
    return tuple(dict.fromkeys(node.name for node in nodes if _draws(node.op)))


def _draws(op_type: str) -> bool:
    definition = op_def_registry.get(op_type)
    attributes = {attribute.name for attribute in definition.attr} if definition is not None else set()
    return definition is not None and definition.is_stateful and "seed2" in attributes


def free_shapes(library: Any) -> None:
    """Has the runtime take nothing for granted of the shapes of arguments, as other batches are to be given."""
    for definition in library.function:
        for attributes in definition.arg_attr.values():
            attributes.attr.pop("_output_shapes", None)


def fixed_inputs(definition: Any, arguments: Mapping[int, str], elements: Mapping[str, str]) -> frozenset[str]:
    """Names of the inputs that the function was traced for with one size of the first dimension.

    What other processes gave is no batch, so it has one size too.

    Args:
        definition: The FunctionDef as it was captured.
        arguments: Names of the arguments by number.
        elements: Names of what comes from input pipelines, by `name_of_element`.
    """
    shapes = {
        name: list(definition.arg_attr[number].attr["_output_shapes"].list.shape)[:1]
        for number, name in arguments.items()
        if number in definition.arg_attr
    }
    for node in definition.node_def:
        for slot, shape in enumerate(node.attr["output_shapes"].list.shape if "output_shapes" in node.attr else ()):
            tensor = f"{node.name}:components:{slot}"
            if name_of_element(tensor) in elements:
                shapes[tensor] = [shape]
    from_others = {output.tensor for node in definition.node_def if exchanges(node.op) for output in fd.outputs(node)}
    received = {tensor for tensor in from_others if name_of_element(tensor) in elements}
    sized = {name for name, known in shapes.items() if known and known[0].dim and known[0].dim[0].size >= 0}
    return frozenset(received | sized)


def callees_first(library: Any) -> list[Any]:
    """Returns the FunctionDefs that the step needs, each behind those that it calls."""
    definitions = {each.signature.name: each for each in library.function}
    done: dict[str, Any] = {}
    waiting = [library.function[0].signature.name]
    while waiting:
        name = waiting[-1]
        missing = [each for each in called_functions(definitions[name]) if each in definitions and each not in done]
        if missing and not set(missing) & set(waiting):
            waiting.extend(missing)
        else:
            done[waiting.pop()] = definitions[name]
    return list(done.values())


def take_elements_from_arguments(definition: Any, elements: Sequence[str]) -> None:
    """Replaces what a pipeline gave by arguments, which come behind all others; see `name_of_element`."""
    types = {}
    for node in definition.node_def:
        for slot, dtype in enumerate(node.attr["output_types"].list.type if "output_types" in node.attr else ()):
            types[f"{node.name}:components:{slot}"] = dtype
    replaced = {tensor: name_of_element(tensor) for tensor in types if name_of_element(tensor) in elements}
    for tensor, argument in replaced.items():
        definition.signature.input_arg.add(name=argument, type=types[tensor])
    gone = {tensor.partition(":")[0] for tensor in replaced}
    kept = [node for node in definition.node_def if node.name not in gone]
    for node in kept:
        given = [replaced.get(name, name) for name in node.input if name.lstrip("^") not in gone]
        del node.input[:]
        node.input.extend(given)
    for name, tensor in list(definition.ret.items()):
        definition.ret[name] = replaced.get(tensor, tensor)
    for name in [name for name, node in definition.control_ret.items() if node in gone]:
        del definition.control_ret[name]
        definition.signature.control_output.remove(name)
    copies = [type(node).FromString(node.SerializeToString()) for node in kept]
    del definition.node_def[:]
    definition.node_def.extend(copies)


def _restored(told: Mapping[str, RestoredGraph], name: str) -> RestoredGraph | None:
    """What is known of a function, or else of the one that it was before a gradient was taken of it."""
    while name not in told and name.endswith(_REWRITTEN):
        name = name.removesuffix(_REWRITTEN)
    return told.get(name)


def _known_functions(capture: Capture) -> Mapping[str, RestoredGraph]:
    """What is known of each function, by its name in the runtime."""
    try:
        for row in capture.rows("sources"):
            source: SourceFile = source_from_row(row)
            CATALOG.adopt_source(source)
        stacks = {}
        for row in capture.rows("stacks"):
            number, frames = stack_from_row(row)
            stacks[number] = CATALOG.adopt_stack(frames)
        sites = [site_from_row(row) for row in capture.rows("sites")]
        functions = [function_from_row(row) for row in capture.rows("functions")]
    except (KeyError, TypeError, ValueError) as error:
        raise CaptureError(f"{capture.path}: where its operations were made can't be read: {error!r}") from None
    names = {site.site: site.name for site in sites}
    return {
        function.runtime_name: RestoredGraph(
            name=function.name,
            stacks={
                site.name: stacks[site.stack]
                for site in sites
                if site.function == function.graph and site.stack in stacks
            },
            layers={site.name: site.layer for site in sites if site.function == function.graph and site.layer},
            gradients={
                site.name: names[site.gradient_of]
                for site in sites
                if site.function == function.graph and site.gradient_of in names
            },
        )
        for function in functions
    }
