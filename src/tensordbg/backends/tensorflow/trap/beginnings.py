"""Traps at the beginning of a function: what a call was given is there also where the call raises.

All that takes an argument, or draws or reads something without one, waits for it, so that nothing has failed or been
written yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.waiting import BRANCHING, wait_for
from tensordbg.backends.tensorflow.trap.nodes import NEXT, add_trap_node, arguments_of, elements_in
from tensordbg.trapping.capture import Saved

_BEGINNING = "tdbg_trap/beginning"
_TESTED = "tdbg_trap/begins"
_BOOL = 10


def has_beginning(definition: Any) -> bool:
    """Whether one has been added."""
    return any(node.name == _BEGINNING for node in definition.node_def)


def place_beginning(definition: Any, number: int) -> tuple[Saved, ...]:
    """Adds one.

    Args:
        definition: The FunctionDef.
        number: Which trap it is.

    Returns:
        What it keeps: the arguments, and the elements that come from an input pipeline that is an argument.
    """
    saved = (*arguments_of(definition), *_elements(definition))
    behind = fd.nodes_behind(definition, [each.tensor for each in saved])
    names = {argument.name for argument in definition.signature.input_arg}
    waiting = [node for node in definition.node_def if node.name not in behind and _begins(node, names)]
    tested = definition.node_def.add(name=_TESTED, op="Const")
    tested.attr["dtype"].type = _BOOL
    tested.attr["value"].tensor.dtype = _BOOL
    tested.attr["value"].tensor.tensor_shape.SetInParent()
    tested.attr["value"].tensor.bool_val.append(True)
    add_trap_node(definition, _BEGINNING, number, [(f"{_TESTED}:output:0", _BOOL)], saved)
    for node in waiting:
        wait_for(node, [_BEGINNING])
    return saved


def _elements(definition: Any) -> Iterator[Saved]:
    """Those that the function takes out of a pipeline at once, before it computes or decides anything."""
    before = {argument.name for argument in definition.signature.input_arg}
    for node in definition.node_def:
        if node.op in NEXT and all(name.removeprefix("^") in before for name in node.input):
            before.add(node.name)
            yield from elements_in(fd.outputs(node))


def _begins(node: Any, arguments: set[str]) -> bool:
    """Whether an operation may run at the very beginning and be more than a constant."""
    if node.op in BRANCHING or node.op == "Const":
        return False
    return not node.input or any(name.removeprefix("^") in arguments for name in node.input)
