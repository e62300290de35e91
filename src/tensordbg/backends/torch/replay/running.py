"""Runs the operations of a captured step, one by one, through PyTorch's dispatcher."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tensordbg.backends.torch.captured.graph import Argument, At, Operation, StepGraph, number_of
from tensordbg.backends.torch.captured.places import Place, run_at
from tensordbg.backends.torch.replay.devices import Devices
from tensordbg.backends.torch.replay.memory import Memories, looks
from tensordbg.backends.torch.replay.operators import Operator
from tensordbg.backends.torch.replay.precision import Precision
from tensordbg.backends.torch.replay.without_gpu.operations import EQUIVALENTS, laid_out
from tensordbg.backends.torch.trap.graph_files import dtype_of
from tensordbg.errors import CaptureError

_DTYPE, _DEVICE, _PINNED = "ScalarType", "Device", "pin_memory"


@dataclass(frozen=True)
class Prepared:
    """All that a run needs, but the memories from outside."""

    graph: StepGraph
    operators: Mapping[tuple[str, str], Operator]
    places: Sequence[Place]
    states: Sequence[Any]
    """Of the generators of random numbers."""
    devices: Devices
    precision: Precision
    changed: Callable[[int, list[Any]], None]
    """Is given the results of each operation, by its number, and may change them."""


class Running:
    """One run of a step."""

    def __init__(self, prepared: Prepared, memories: Memories, kept: frozenset[int]) -> None:
        """`kept` are the memories that are looked at behind the run."""
        self._prepared = prepared
        self._memories = memories
        self._last = _last_uses(prepared.graph, kept)

    def run(self) -> None:
        """Runs all operations.

        Raises:
            CaptureError: If PyTorch can't run one.
        """
        import torch

        with torch.enable_grad(), self._prepared.devices.without_autocast():
            for number, operation in enumerate(self._prepared.graph.operations):
                if operation.results or self._operator(operation).writes:
                    self._run(number, operation)
                for memory in self._last.get(number, ()):
                    self._memories.forget(memory)

    def tensor(self, at: At) -> Any:
        """The tensor that looks at a memory so."""
        return self._memories.tensor(at, dtype_of(self._prepared.precision.number(at.dtype)))

    def _operator(self, operation: Operation) -> Operator:
        return self._prepared.operators[operation.name, operation.overload]

    def _run(self, number: int, operation: Operation) -> None:
        import torch

        def run() -> None:
            operator = self._operator(operation)
            if operation.state >= 0:
                self._begin_at(operation.state)
            # Nothing requires a gradient, so nothing is kept for one but by kernels that ask for this alone.
            with torch.set_grad_enabled(operation.grad):
                given = list(self._compute(operation, operator))
            made = [at for at in operation.results if at is not None]
            if len(given) != len(made):
                raise CaptureError(
                    f"{operation.name} gives {len(given)} tensors here, not {len(made)} as in the capture; replay it "
                    "with the PyTorch of the capture"
                )
            bound = [self._memories.bind(at, tensor) for at, tensor in zip(made, given, strict=True)]
            self._prepared.changed(number, bound)

        try:
            run_at(self._prepared.places[number], run)
        except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError, MemoryError) as error:
            first = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise CaptureError(
                f"the step can't be run here: {operation.name}: {first}; replay it with the PyTorch of the capture"
            ) from None

    def _begin_at(self, number: int) -> None:
        if number >= len(self._prepared.states):
            raise CaptureError("the capture lacks a state of the random generator; take another")
        generators = self._prepared.graph.generators
        device = generators[number] if number < len(generators) else "cpu"
        self._prepared.devices.begin_at(device, self._prepared.states[number])

    def _compute(self, operation: Operation, operator: Operator) -> Iterator[Any]:
        precision = self._prepared.precision
        if operation.name in EQUIVALENTS and self._prepared.devices.elsewhere:
            return self._equivalently(operation, operator)
        if precision and operation.state >= 0:
            return self._narrowly(operation, operator)  # it would draw other numbers in another type
        try:
            return _tensors_in(self._call(operation, operator, self.tensor, precision.number))
        except (RuntimeError, NotImplementedError):
            if not precision:
                raise
            return self._narrowly(operation, operator)

    def _equivalently(self, operation: Operation, operator: Operator) -> Iterator[Any]:
        """Computes here what only a GPU has such an operation for."""
        import torch

        def wanted(at: At) -> Any:
            dtype = dtype_of(self._prepared.precision.number(at.dtype))
            return torch.empty_strided(at.sizes, at.strides, dtype=dtype, device="cpu")

        values = (_value(each, self.tensor) for each in operation.arguments)
        given = {known.name: value for known, value in zip(operator.arguments, values, strict=True)}
        results = list(EQUIVALENTS[operation.name](given))
        return laid_out(results, [wanted(at) for at in operation.results if at is not None])

    def _narrowly(self, operation: Operation, operator: Operator) -> Iterator[Any]:
        """Runs it in the types that it had, between conversions."""
        precision = self._prepared.precision
        if operation.name not in precision.kept:
            precision.kept.append(operation.name)
        narrow: dict[At, Any] = {}

        def tensor(at: At) -> Any:
            narrow[at] = self.tensor(at).to(dtype_of(at.dtype))
            return narrow[at]

        given = list(_tensors_in(self._call(operation, operator, tensor, lambda dtype: dtype)))
        for place in operator.writes:
            for at in _tensors_of(operation.arguments[place]):
                self.tensor(at).copy_(narrow[at])
        written = {id(narrow[at]): at for place in operator.writes for at in _tensors_of(operation.arguments[place])}
        made = [at for at in operation.results if at is not None]
        for at, each in zip(made, given, strict=False):
            yield (
                self.tensor(written[id(each)]) if id(each) in written else each.to(dtype_of(precision.number(at.dtype)))
            )

    def _call(
        self, operation: Operation, operator: Operator, tensor: Callable[[At], Any], dtype: Callable[[int], int]
    ) -> Any:
        if len(operation.arguments) != len(operator.arguments):
            raise CaptureError(
                f"{operation.name} takes {len(operator.arguments)} arguments here, not {len(operation.arguments)}; "
                "replay it with the PyTorch of the capture"
            )
        given: list[Any] = []
        named: dict[str, Any] = {}
        for argument, known in zip(operation.arguments, operator.arguments, strict=True):
            value = _value(argument, tensor)
            kind = str(known.real_type)
            if _DTYPE in kind and isinstance(value, int):
                value = dtype(value)
            elif _DEVICE in kind and isinstance(value, str):
                value = self._prepared.devices.of(value)
            elif known.name == _PINNED:
                value = None  # it may be that nothing can be pinned here, and no number depends on it
            if known.kwarg_only:
                named[known.name] = value
            else:
                given.append(value)
        return operator.overload(*given, **named)


def _value(argument: Argument, tensor: Callable[[At], Any]) -> Any:
    if argument.tensor is not None:
        return tensor(argument.tensor)
    if argument.tensors is not None:
        return [None if at is None else tensor(at) for at in argument.tensors]
    return number_of(argument.value)


def _tensors_of(argument: Argument) -> Iterator[At]:
    for at in (argument.tensor, *(argument.tensors or ())):
        if at is not None:
            yield at


def _tensors_in(result: Any) -> Iterator[Any]:
    from torch import Tensor

    if isinstance(result, Tensor):
        yield result
    elif isinstance(result, (tuple, list)):
        for each in result:
            yield from _tensors_in(each)


def _last_uses(graph: StepGraph, kept: frozenset[int]) -> dict[int, list[int]]:
    """The memories that each operation is the last to use."""
    last = {at.memory: number for number, operation in enumerate(graph.operations) for at in looks(operation)}
    found: dict[int, list[int]] = {}
    for memory, number in last.items():
        if memory not in kept:
            found.setdefault(number, []).append(memory)
    return found
