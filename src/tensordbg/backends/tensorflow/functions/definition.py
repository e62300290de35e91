"""Reads a FunctionDef: its nodes, what flows between them, which of them count; and adds the probes.

A definition is a copy that the runtime gets: the Python graph is never touched, so that what a program exports or
differentiates holds nothing of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.internals import op_def_registry
from tensordbg.model import CallKind

PROBE_OP = "TensordbgProbe"
PROBE_NAME = "tdbg_probe/"
"""How a probe's name begins; what stands before it in a running graph is the call path."""

WAITING_NAME = "tdbg_turn/"
"""How the name of a result begins that waits for nodes of ours."""

CALLS: dict[str, CallKind] = {
    "PartitionedCall": CallKind.CALL,
    "StatefulPartitionedCall": CallKind.CALL,
    "If": CallKind.IF,
    "StatelessIf": CallKind.IF,
    "Case": CallKind.IF,
    "StatelessCase": CallKind.IF,
    "While": CallKind.WHILE,
    "StatelessWhile": CallKind.WHILE,
}

# Without state an operation may be inlined or dropped together with the probes in what it calls.
_STATEFUL_FORM = {
    "PartitionedCall": "StatefulPartitionedCall",
    "StatelessIf": "If",
    "StatelessCase": "Case",
    "StatelessWhile": "While",
}

# What they put out is what was put in, or what a function called returned: it has been seen already.
UNPROBED = frozenset(CALLS) | {"Identity", "IdentityN", "NoOp", "Assert", PROBE_OP}

# Attributes that hold the functions an operation calls, in the order of `Site.called`.
_FUNCTION_ATTRIBUTES = ("f", "then_branch", "else_branch", "branches", "cond", "body")

XLA_ATTRIBUTE = "_XlaMustCompile"
_LOWER_ATTRIBUTE = "_lower_using_switch_merge"


@dataclass(frozen=True)
class Output:
    """One output of a node."""

    slot: int
    tensor: str
    """How a FunctionDef names it: `node:y:0`."""
    dtype: int


@cache
def _output_arguments(op_type: str) -> tuple[Any, ...] | None:
    definition = op_def_registry.get(op_type)
    return None if definition is None else tuple(definition.output_arg)


def outputs(node: Any) -> Iterator[Output]:
    """The outputs of a NodeDef, in order; none where the operation is not known."""
    slot = 0
    for argument in _output_arguments(node.op) or ():
        for index, dtype in enumerate(argument_dtypes(node, argument)):
            yield Output(slot, f"{node.name}:{argument.name}:{index}", dtype)
            slot += 1


def argument_dtypes(node: Any, argument: Any) -> list[int]:
    """The dtypes of the tensors that an argument of an operation's definition, an ArgDef, stands for in a node."""
    if argument.type_list_attr:
        return list(node.attr[argument.type_list_attr].list.type)
    dtype = argument.type or node.attr[argument.type_attr].type
    return [dtype] * (node.attr[argument.number_attr].i if argument.number_attr else 1)


def data_inputs(node: Any) -> list[str]:
    """The tensors that a node takes, by their names in the FunctionDef."""
    return [name for name in node.input if not name.startswith("^")]


def control_inputs(node: Any) -> list[str]:
    """The nodes, or arguments, that a node only waits for, by their names in the FunctionDef."""
    return [name.removeprefix("^") for name in node.input if name.startswith("^")]


def called_functions(node: Any) -> tuple[str, ...]:
    """Runtime names of the functions that a node's attributes name."""
    return tuple(function.name for function in functions_of(node))


def functions_of(node: Any) -> Iterator[Any]:
    """The functions as they stand in the attributes, each a NameAttrList."""
    for name in _FUNCTION_ATTRIBUTES:
        if name in node.attr:
            value = node.attr[name]
            yield from value.list.func if value.HasField("list") else [value.func]


def functions_named(node: Any) -> Iterator[Any]:
    """All functions that a node's attributes name, also those that run apart from it, as a dataset's do."""
    for value in node.attr.values():
        if value.HasField("func"):
            yield value.func
        elif value.HasField("list"):
            yield from value.list.func


def dtypes_of(definition: Any) -> dict[str, int]:
    """The dtype of each tensor of a definition, by its name there."""
    found = {argument.name: argument.type for argument in definition.signature.input_arg}
    for node in definition.node_def:
        found.update((output.tensor, output.dtype) for output in outputs(node))
    return found


def live_nodes(definition: Any) -> set[str]:
    """Names of the nodes that the function's results or side effects need; the rest never runs, and shall not."""
    return nodes_behind(definition, [*definition.ret.values(), *definition.control_ret.values()])


def nodes_behind(definition: Any, tensors: Iterable[str]) -> set[str]:
    """Names of the nodes that must run before tensors, or nodes, by their names in the definition, are there."""
    inputs = {node.name: node.input for node in definition.node_def}
    waiting = [node_of(tensor) for tensor in tensors]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in found or name not in inputs:
            continue
        found.add(name)
        waiting.extend(node_of(tensor) for tensor in inputs[name])
    return found


def nodes_after(definition: Any, names: Iterable[str]) -> set[str]:
    """Names of nodes, and of all that must run after them."""
    takers: dict[str, list[str]] = {}
    for node in definition.node_def:
        for tensor in node.input:
            takers.setdefault(node_of(tensor), []).append(node.name)
    return _reached(names, takers)


def nodes_before(definition: Any, names: Iterable[str]) -> set[str]:
    """Names of nodes, and of all that must run before them."""
    return _reached(names, {node.name: [node_of(tensor) for tensor in node.input] for node in definition.node_def})


def _reached(names: Iterable[str], further: Mapping[str, Iterable[str]]) -> set[str]:
    """Names, and all that they lead to, from one to the next."""
    waiting = list(names)
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(further.get(name, ()))
    return found


def node_of(tensor: str) -> str:
    """The node that puts out a tensor, or whose end a control input waits for."""
    return tensor.lstrip("^").partition(":")[0]


@dataclass(frozen=True)
class ProbePoint:
    """A tensor that is to be recorded."""

    tensor: str
    dtype: int
    site: int
    slot: int
    argument: bool
    device: str


def probe_name(point: ProbePoint) -> str:
    """The name of a tensor's probe."""
    return f"{PROBE_NAME}{point.site}_{point.slot}"


_ARGUMENT = 1 << 48


def place_number(site: int, slot: int, argument: bool = False) -> int:
    """Which tensor a node of ours looks at, in one number, as `native/tensorflow/place.h` reads it."""
    return site | slot << 32 | (_ARGUMENT if argument else 0)


def looks_at_argument(probe: Any) -> bool:
    """Whether a probe's tensor is an argument of the function."""
    return bool(probe.attr["place"].i & _ARGUMENT)


def add_probes(definition: Any, points: Iterable[ProbePoint]) -> None:
    """Adds a probe for each point, as something that must run but in any order."""
    for point in points:
        name = probe_name(point)
        node = definition.node_def.add(name=name, op=PROBE_OP, device=point.device)
        node.input.append(point.tensor)
        node.attr["T"].type = point.dtype
        node.attr["place"].i = place_number(point.site, point.slot, point.argument)
        must_run(definition, name)


def keep_calls(definition: Any, names: Iterable[str]) -> None:
    """Sees to it that the calls with these names, whose functions have probes, run as a whole.

    Loops and branches are lowered into their caller, also where they were meant for XLA: only then does the runtime
    tell the iterations of a loop apart.
    """
    wanted = set(names)
    kept = set(definition.control_ret.values())
    for node in definition.node_def:
        if node.name in wanted:
            node.op = _STATEFUL_FORM.get(node.op, node.op)
            if CALLS[node.op] is not CallKind.CALL:
                node.attr[_LOWER_ATTRIBUTE].b = True
            if node.name not in kept:
                must_run(definition, node.name)


def must_run(definition: Any, name: str) -> None:
    """Makes a node one that runs in every call of the function, in whatever order."""
    definition.control_ret[name] = name
    definition.signature.control_output.append(name)


def results_wait_for(definition: Any, names: Iterable[str]) -> None:
    """Has what a function returns wait for nodes, but for what has no elements."""
    known = dtypes_of(definition)
    waited = [f"^{name}" for name in dict.fromkeys(names)]
    for i, (result, tensor) in enumerate(sorted(definition.ret.items()) if waited else ()):
        dtype = known.get(tensor)
        if dtype is None or dtype in (dtypes.RESOURCE, dtypes.VARIANT):
            continue
        name = f"{WAITING_NAME}{i}"
        node = definition.node_def.add(name=name, op="Identity")
        node.input.extend([tensor, *waited])
        node.attr["T"].type = dtype
        definition.ret[result] = f"{name}:output:0"


def drop_xla(definition: Any) -> bool:
    """Takes out the wish to be compiled by XLA, where no probe can run.

    Returns:
        Whether the function itself was to be compiled, not only one that it calls.
    """
    for node in definition.node_def:
        _drop(node, XLA_ATTRIBUTE)
    return _drop(definition, XLA_ATTRIBUTE)


def allow_inlining(definition: Any) -> None:
    """Lets the runtime inline the function and those that it calls: only then does it tell one call from another."""
    for holder in (definition, *definition.node_def):
        _drop(holder, "_noinline")


def _drop(holder: Any, attribute: str) -> bool:
    """Takes out an attribute of a definition or a node; returns whether it was set."""
    found = attribute in holder.attr and bool(holder.attr[attribute].b)
    if found:
        del holder.attr[attribute]
    return found
