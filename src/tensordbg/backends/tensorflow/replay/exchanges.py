"""Lets one process alone replay a step that many replicas computed together, on devices that are not here.

What came from other processes is in the capture and takes the place of the exchange, as what came from a pipeline does.
Where all replicas are in the step itself, what they exchange is computed from what they put in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.collective_nodes import GATHER, REDUCE, Party, parties
from tensordbg.backends.tensorflow.replay.functions import name_of_element
from tensordbg.backends.tensorflow.replay.outputs import name_and_slot
from tensordbg.capture.reader import Capture
from tensordbg.trapping.targets import GRADIENT, LOSS, REDUCED

_OWN = "tdbg_exchange"
_BINARY = {"Mul": "Mul", "Max": "Maximum", "Min": "Minimum"}
_INT32 = 3


def compute_alone(capture: Capture, library: Any, elements: Sequence[str]) -> None:
    """Has all replicas of a captured step computed in this process.

    Args:
        capture: The capture.
        library: Its functions, the step's first, which are changed.
        elements: The names of the arguments of what is in the capture, see `name_of_element`.
    """
    import tensorflow as tf  # imported by the replay already

    step, trouble = library.function[0], capture.header.trouble
    if any(each.role in {LOSS, GRADIENT} for each in trouble.suspects):
        keep_own(step, {name_and_slot(each.name)[0] for each in trouble.tested if each.role == REDUCED})
    take_received_from_arguments(step, elements)
    arguments = step.signature.input_arg
    numbers = ((i, array) for i, array in capture.batch().items() if array.ndim == 0 and array.dtype.kind in "iu")
    compute_exchanges(step, {arguments[i].name: int(array) for i, array in numbers})
    devices = [each.name for each in tf.config.list_logical_devices()]
    for definition in library.function:
        place_here(definition, devices)


def keep_own(definition: Any, names: Collection[str]) -> None:
    """Has sums put out what this process alone put in, where that is what went wrong.

    Else what other processes made of it would come in as if it had gone wrong there.

    Args:
        definition: The FunctionDef of a step.
        names: Of the nodes.
    """
    for each in parties(definition):
        if each.node.name in names and each.node.op.startswith(REDUCE):
            _become(definition, each, fd.data_inputs(each.node)[0])


def take_received_from_arguments(definition: Any, elements: Sequence[str]) -> None:
    """Replaces what other processes gave by arguments, which come behind all others; see `name_of_element`.

    Args:
        definition: The FunctionDef of a step.
        elements: The names of the arguments of what is in the capture.
    """
    for each in parties(definition):
        argument = name_of_element(each.output.tensor)
        if argument in elements:
            definition.signature.input_arg.add(name=argument, type=each.output.dtype)
            _become(definition, each, argument)


def compute_exchanges(definition: Any, values: Mapping[str, int]) -> None:
    """Replaces sums and the like, and gatherings, of replicas that are all in the definition.

    Args:
        definition: The FunctionDef of a step.
        values: Whole numbers that it is given, by the argument's name.
    """
    groups: dict[tuple[str, str, str], list[Party]] = {}
    for each in parties(definition, values):
        groups.setdefault((each.node.op, each.group, each.run), []).append(each)
    for number, found in enumerate(groups.values()):
        if len(found) == found[0].size:
            _compute(definition, f"{_OWN}_{number}", found)


def _compute(definition: Any, name: str, found: Sequence[Party]) -> None:
    node = found[0].node
    given = [fd.data_inputs(each.node)[0] for each in found]
    dtype = node.attr["T"].type
    if node.op.startswith(REDUCE):
        result = _reduced(definition, name, given, node)
    elif node.op.startswith(GATHER):
        axis = _constant(definition, f"{name}/axis", 0, _INT32)
        result = _add(definition, name, "ConcatV2", [*given, axis], "output", T=dtype, Tidx=_INT32, N=len(given))
    else:
        return
    for each in found:
        _become(definition, each, result)


def _become(definition: Any, party: Party, tensor: str) -> None:
    """Has a node put out a tensor; it keeps its name, by which it is known."""
    node, output = party.node, party.output
    waits = [name for name in node.input if name.startswith("^")]
    name, device = node.name, node.device
    node.Clear()
    node.name, node.device, node.op = name, device, "Identity"
    node.input.extend([tensor, *waits])
    node.attr["T"].type = output.dtype
    _rename(definition, output.tensor, f"{name}:output:0")


def _reduced(definition: Any, name: str, given: Sequence[str], node: Any) -> str:
    dtype = node.attr["T"].type
    binary = _BINARY.get(node.attr["merge_op"].s.decode() or node.attr["reduction"].s.decode().capitalize())
    if binary is None:
        result = _add(definition, name, "AddN", given, "sum", T=dtype, N=len(given))
    else:
        result = given[0]
        for i, each in enumerate(given[1:]):
            result = _add(definition, f"{name}/{i}", binary, [result, each], "z", T=dtype)
    if node.attr["final_op"].s == b"Div":
        count = _constant(definition, f"{name}/count", len(given), dtype)
        result = _add(definition, f"{name}/mean", "RealDiv", [result, count], "z", T=dtype)
    return result


def place_here(definition: Any, devices: Sequence[str]) -> None:
    """Places nodes on a device of this process where theirs is not here.

    Args:
        definition: A FunctionDef.
        devices: Names of the devices of this process.
    """
    import tensorflow as tf  # imported by the program already

    for node in definition.node_def:
        if node.device and node.device not in devices:
            wanted = tf.DeviceSpec.from_string(node.device).device_type
            here = (each for each in devices if tf.DeviceSpec.from_string(each).device_type == wanted)
            node.device = next(here, "")


def _rename(definition: Any, old: str, new: str) -> None:
    for node in definition.node_def:
        node.input[:] = [new if name == old else name for name in node.input]
    for name, tensor in list(definition.ret.items()):
        definition.ret[name] = new if tensor == old else tensor


def _constant(definition: Any, name: str, value: float, dtype: int) -> str:
    import tensorflow as tf  # imported by the program already

    node = definition.node_def.add(name=name, op="Const")
    node.attr["dtype"].type = dtype
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, tf.dtypes.as_dtype(dtype)))
    return f"{name}:output:0"


def _add(definition: Any, name: str, op: str, given: Sequence[str], output: str, **attributes: int) -> str:
    node = definition.node_def.add(name=name, op=op, input=given)
    for key, value in attributes.items():
        if key == "N":
            node.attr[key].i = value
        else:
            node.attr[key].type = value
    return f"{name}:{output}:0"
