"""Changes captured functions: tensors are replaced where they are used, and what computed them stays."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.replay.outputs import name_and_slot
from tensordbg.capture.header import TensorDigest
from tensordbg.capture.tensors import Array
from tensordbg.errors import UsageError
from tensordbg.replaying.changes import Change, ClipGradients, ClipTensor, SetTensor

_INT32, _DOUBLE, _OWN = 3, 2, "tdbg_changed/"


@dataclass(frozen=True)
class State:
    """The tensors that a step starts from."""

    arguments: dict[str, Array]
    """Inputs by name."""
    variables: Mapping[str, int]
    """The arguments that are handles of variables, by the variables' names."""
    values: dict[int, Array]
    """What those variables hold."""
    tested: Sequence[TensorDigest]
    """What the trap had tested."""


class LibraryChanges:
    """Changes the functions of one capture."""

    def __init__(self, library: Any) -> None:
        """`library` is a FunctionDefLibrary, the step's function first."""
        self._library = library
        self._count = 0
        self.replaced: dict[str, str] = {}
        """What the tensors of the step's function became."""

    def has(self, name: str) -> bool:
        """Whether any function has an operation of this name, with or without a slot."""
        return any(True for _ in self._found(name))

    def names(self) -> Iterator[str]:
        """Names of all operations."""
        for definition in self._library.function:
            yield from (node.name for node in definition.node_def)

    def change(self, change: SetTensor | ClipTensor) -> None:
        """Changes the output of an operation, in each function that has one of that name.

        Raises:
            UsageError: If it has no elements, or a row of it is meant, which is known only for inputs and variables.
        """
        if isinstance(change, SetTensor) and change.row is not None:
            raise UsageError(f"{change.name} is computed, so its rows can't be set one by one; set all of it")
        for definition, tensor, dtype in list(self._found(change.name)):
            if dtype not in dtypes.PROBED:
                raise UsageError(f"{change.name} is {dtypes.name_of(dtype)}, which has no elements that can be set")
            made = _Maker(definition, f"{_OWN}{self._count}")
            self._count += 1
            new = (
                made.clipped(tensor, dtype, change)
                if isinstance(change, ClipTensor)
                else made.filled(tensor, dtype, change)
            )
            self._rewire(definition, made, {tensor: new})

    def clip_gradients(self, change: ClipGradients, tested: Iterable[TensorDigest]) -> None:
        """Scales the gradients that the trap had tested.

        Raises:
            UsageError: If it had tested none.
        """
        definition = self._library.function[0]
        found = [one for each in tested if each.role == "gradient" for one in self._found(each.name, [definition])]
        if not found:
            raise UsageError("the step has no gradients that are known, so they can't be clipped; clip NAME:MIN:MAX")
        gradients = {tensor: dtype for _, tensor, dtype in found}
        made = _Maker(definition, f"{_OWN}{self._count}")
        self._count += 1
        scale = made.scale(gradients, change.norm)
        scaled = {tensor: made.scaled(tensor, dtype, scale) for tensor, dtype in gradients.items()}
        self._rewire(definition, made, scaled)

    def _found(self, name: str, among: Sequence[Any] = ()) -> Iterator[tuple[Any, str, int]]:
        """Function, tensor and dtype of each output of that name."""
        operation, slot = name_and_slot(name) if name.rpartition(":")[2].isdecimal() else (name, 0)
        for definition in among or self._library.function:
            for node in definition.node_def:
                if node.name == operation:
                    found = (output for output in fd.outputs(node) if output.slot == slot)
                    yield from ((definition, output.tensor, output.dtype) for output in found)

    def _rewire(self, definition: Any, made: _Maker, replaced: dict[str, str]) -> None:
        for node in definition.node_def:
            if not node.name.startswith(f"{made.prefix}/"):
                node.input[:] = [replaced.get(name, name) for name in node.input]
        for name, tensor in list(definition.ret.items()):
            definition.ret[name] = replaced.get(tensor, tensor)
        if definition is self._library.function[0]:
            self.replaced = {old: replaced.get(new, new) for old, new in self.replaced.items()} | replaced


class _Maker:
    """Adds operations to a definition."""

    def __init__(self, definition: Any, prefix: str) -> None:
        self._definition = definition
        self.prefix = prefix
        self._count = 0

    def filled(self, tensor: str, dtype: int, change: SetTensor) -> str:
        """A tensor of the same shape, with other elements."""
        shape = self._add("Shape", "output", [tensor], T=dtype, out_type=_INT32)
        return self._add("BroadcastTo", "output", [self._constant(change.value, dtype), shape], T=dtype, Tidx=_INT32)

    def clipped(self, tensor: str, dtype: int, change: ClipTensor) -> str:
        """A tensor within bounds."""
        bounds = [self._constant(np.asarray(bound), dtype) for bound in (change.low, change.high)]
        return self._add("ClipByValue", "output", [tensor, *bounds], T=dtype)

    def scale(self, tensors: dict[str, int], limit: float) -> str:
        """By which the tensors must be multiplied for their common norm not to be larger than the limit."""
        wide = [self._cast(tensor, dtype, _DOUBLE) for tensor, dtype in tensors.items()]
        halves = [self._add("L2Loss", "output", [tensor], T=_DOUBLE) for tensor in wide]
        half = self._add("AddN", "sum", halves, T=_DOUBLE, N=len(halves))
        doubled = self._add("AddV2", "z", [half, half], T=_DOUBLE)
        norm = self._add("Sqrt", "y", [doubled], T=_DOUBLE)
        wanted = self._constant(np.asarray(limit), _DOUBLE)
        larger = self._add("Maximum", "z", [norm, wanted], T=_DOUBLE)
        return self._add("RealDiv", "z", [wanted, larger], T=_DOUBLE)

    def scaled(self, tensor: str, dtype: int, scale: str) -> str:
        """A tensor times a number of double precision."""
        return self._add("Mul", "z", [tensor, self._cast(scale, _DOUBLE, dtype)], T=dtype)

    def _cast(self, tensor: str, there: int, wanted: int) -> str:
        return tensor if there == wanted else self._add("Cast", "y", [tensor], SrcT=there, DstT=wanted)

    def _constant(self, value: Any, dtype: int) -> str:
        import tensorflow as tf

        kind = tf.dtypes.as_dtype(dtype)
        node = self._new("Const", [], dtype=dtype)
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value.astype(kind.as_numpy_dtype), kind))
        return f"{node.name}:output:0"

    def _add(self, op: str, output: str, inputs: Sequence[str], **attributes: int) -> str:
        return f"{self._new(op, inputs, **attributes).name}:{output}:0"

    def _new(self, op: str, inputs: Sequence[str], **attributes: int) -> Any:
        node = self._definition.node_def.add(name=f"{self.prefix}/{op}_{self._count}", op=op, input=inputs)
        self._count += 1
        for name, value in attributes.items():
            if name == "N":
                node.attr[name].i = value
            else:
                node.attr[name].type = value
        return node


def apply_changes(changes: Sequence[Change], state: State, library: LibraryChanges) -> None:
    """Makes changes, each of what bears its name: an input, a variable, else an operation.

    Raises:
        UsageError: If nothing bears it, or it can't be changed so.
    """
    for change in changes:
        if isinstance(change, ClipGradients):
            library.clip_gradients(change, state.tested)
        elif change.name in state.arguments:
            state.arguments[change.name] = change.apply(state.arguments[change.name])
        elif change.name in state.variables:
            argument = state.variables[change.name]
            state.values[argument] = change.apply(state.values[argument])
        elif library.has(change.name):
            library.change(change)
        else:
            raise UsageError(_unknown(change.name, [*state.arguments, *state.variables, *library.names()]))


def _unknown(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "`tdbg capture show` and `tdbg ls` on a replay list them"
    return f"the step has no input, variable or operation {name!r}; {hint}"
