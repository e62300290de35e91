"""Has a captured function put out, beside its results, the tensors that the trap had tested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.capture.header import TensorDigest
from tensordbg.errors import CaptureError

_OUTPUT = "tdbg_tested_"


def give_out(definition: Any, tested: Iterable[TensorDigest], replaced: Mapping[str, str]) -> list[TensorDigest]:
    """Adds the outputs, behind all others.

    Args:
        definition: The FunctionDef, which is changed.
        tested: What is wanted.
        replaced: What tensors became, by their names in the definition.

    Returns:
        What is put out, in this order: without what the function does not compute.

    Raises:
        CaptureError: If a name is none.
    """
    arguments = {argument.name: argument for argument in definition.signature.input_arg}
    nodes = {node.name: node for node in definition.node_def}
    found: list[TensorDigest] = []
    for each in tested:
        operation, slot = name_and_slot(each.name)
        if operation in nodes:
            output = next((one for one in fd.outputs(nodes[operation]) if one.slot == slot), None)
            tensor, dtype = ("", 0) if output is None else (output.tensor, output.dtype)
        elif operation in arguments:
            tensor, dtype = operation, arguments[operation].type
        else:
            continue
        if tensor:
            name = f"{_OUTPUT}{len(found)}"
            definition.signature.output_arg.add(name=name, type=dtype)
            definition.ret[name] = replaced.get(tensor, tensor)
            found.append(each)
    return found


def name_and_slot(name: str) -> tuple[str, int]:
    """The operation and the slot of a tensor's name.

    Raises:
        CaptureError: If it is none.
    """
    operation, _, slot = name.rpartition(":")
    if not slot.isdecimal():
        raise CaptureError(f"{name!r} is no name of a tensor, which has a colon and a number; take another capture")
    return operation, int(slot)
