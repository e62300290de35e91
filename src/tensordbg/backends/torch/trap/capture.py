"""Writes the capture of a step of PyTorch's: tensors as safetensors, all else as JSON; nothing is pickled."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from tensordbg.backends.torch.captured.graph import Before, Target
from tensordbg.backends.torch.trap.calls import Call, Calls, is_unwritten
from tensordbg.backends.torch.trap.compiled_calls import CompiledGraph
from tensordbg.backends.torch.trap.graph_files import Kept, StepInputs, at_of, files_of, tensor_in, troubled
from tensordbg.backends.torch.trap.names import named_memories, tensors_in_frames
from tensordbg.backends.torch.trap.step_log import Content, Noted, StepLog
from tensordbg.backends.torch.trap.taken_apart import taken_apart
from tensordbg.capture.header import StoredArgument, StoredTensor, StoredVariable, Trouble
from tensordbg.capture.tensors import Array
from tensordbg.capture.writer import write_capture
from tensordbg.trapping.capture import Room, blank_header, safe_name
from tensordbg.trapping.plan import TrapPlan

RANDOM = "random."
"""The state of a generator is a variable by this name and its device."""

STEP_FILE = "step.json"
"""What a capture says of a step beside the header: the calls, the optimizer, the generator, the scale."""


@dataclass(frozen=True)
class FoundStep:
    """A bad step, before it has written anything."""

    name: str
    number: int
    trouble: Trouble
    optimizer: Any
    parameters: Mapping[str, Any]
    """Those that are trained, by name."""
    calls: Sequence[Call]
    tested: Mapping[str, Any]
    """Losses and gradients, by the names that the trouble has for them."""


@dataclass(frozen=True)
class Noticed:
    """The knowledge of a step from looking on."""

    calls: Calls
    log: StepLog
    graphs: Sequence[CompiledGraph]
    """Those that compiled code was made of."""
    frames: tuple[FrameType, ...]
    """Of the program, where its optimizer is called, the innermost first."""
    is_loaded: Callable[[Any], bool]
    """Whether a tensor is as a `DataLoader` gave it."""


def write_step(plan: TrapPlan, found: FoundStep, noticed: Noticed) -> Path:
    """Writes the capture.

    Raises:
        OSError: If it can't be written.
    """
    return _Maker(plan, found, noticed).write()


class _Maker:
    """Keeps tensors as far as the size allows: the batch first, then what is trained."""

    def __init__(self, plan: TrapPlan, found: FoundStep, noticed: Noticed) -> None:
        self._plan = plan
        self._found = found
        self._calls = noticed.calls
        self._noticed = noticed
        self._kept: list[Kept] = []
        self._notes: list[str] = []
        self._room = Room(plan.size, self._notes)
        self._batch: dict[str, Array] = {}
        self._variables: dict[str, Array] = {}
        self._arguments: list[StoredArgument] = []
        self._stored: list[StoredVariable] = []
        self._loaded: set[int] = set()
        """The memories that are as a `DataLoader` gave them."""
        self._numbers: dict[int, int] = {}
        """Of variables, by the identity of what they are."""

    def write(self) -> Path:
        import torch

        found = self._found
        step: dict[str, Any] = {
            "calls": [self._call(place, call) for place, call in enumerate(found.calls)],
            "optimizer": self._optimizer(),
            "scale": _plain(getattr(found.optimizer, "grad_scale", None)),
            "deterministic": torch.are_deterministic_algorithms_enabled(),
            "threads": torch.get_num_threads(),
        }
        self._keep_state()
        for row, variables in zip(step["calls"], self._variables_of_calls(), strict=True):
            row["variables"] = variables
        graph = self._graph()
        header = replace(
            blank_header({"torch": str(torch.__version__)}, found.trouble),
            function=found.name,
            runtime_name=type(found.optimizer).__name__,
            step=found.number,
            arguments=tuple(self._arguments),
            variables=tuple(self._stored),
            notes=tuple(self._notes),
            seeds={"torch": torch.initial_seed()},
        )
        place = self._plan.folder / f"{safe_name(found.name)}-{found.number}"
        files = {STEP_FILE: json.dumps(step, indent=1).encode(), **graph}
        return write_capture(place, header, self._batch, self._variables, files)

    def _call(self, place: int, call: Call) -> dict[str, Any]:
        """What is said of a call; its tensors are numbered in the batch."""
        if not is_unwritten(call):
            self._notes.append(f"call {place}: what it was given has been written since")
        prefix = f"call{place}." if len(self._found.calls) > 1 else ""
        names = _names_of(call)
        return {
            "module": f"{type(call.module).__module__}.{type(call.module).__qualname__}",
            "of": next(number for number, each in enumerate(self._found.calls) if each.module is call.module),
            "training": bool(call.module.training),
            "autocast": call.autocast,
            "args": [self._value(f"{prefix}{name}", each) for name, each in zip(names, call.args, strict=False)],
            "kwargs": {name: self._value(f"{prefix}{name}", each) for name, each in call.kwargs.items()},
        }

    def _variables_of_calls(self) -> Iterator[dict[str, int]]:
        """The variables of the modules that were called, by their paths there; each module's once."""
        told: set[int] = set()
        for module in (call.module for call in self._found.calls):
            tensors = () if id(module) in told else (*module.named_parameters(), *module.named_buffers())
            yield {path: self._numbers[id(each)] for path, each in tensors if id(each) in self._numbers}
            told.add(id(module))

    def _value(self, name: str, value: Any) -> Any:
        from torch import Tensor

        if isinstance(value, Tensor):
            number = len(self._arguments)
            self._arguments.append(StoredArgument(self._keep(self._batch, f"argument{number}", name, value), number))
            self._place(value, number, variable=False)
            return {"tensor": number}
        if isinstance(value, Mapping):
            return {"map": {str(key): self._value(f"{name}.{key}", each) for key, each in value.items()}}
        if isinstance(value, (tuple, list)):
            return {"list": [self._value(f"{name}[{i}]", each) for i, each in enumerate(value)]}
        return _plain(value)

    def _optimizer(self) -> dict[str, Any]:
        optimizer = self._found.optimizer
        names = {id(parameter): name for name, parameter in self._found.parameters.items()}
        groups = [
            {key: _plain(value) for key, value in group.items() if key != "params"}
            | {"params": [names.get(id(each), "") for each in group["params"]]}
            for group in optimizer.param_groups
        ]
        return {"class": f"{type(optimizer).__module__}.{type(optimizer).__qualname__}", "groups": groups}

    def _keep_state(self) -> None:
        from torch import Tensor

        found = self._found
        modules = {id(call.module): call.module for call in found.calls}
        kept = set()
        for name, parameter in found.parameters.items():
            kept.add(id(parameter))
            self._parameter(name, parameter)
        for module in modules.values():
            for name, parameter in module.named_parameters():
                if id(parameter) not in kept:
                    kept.add(id(parameter))
                    self._parameter(name, parameter)
            buffers = self._calls.buffers(module)
            for name, buffer in buffers.before():
                self._place(buffers.tensor(name), len(self._stored), variable=True)
                self._numbers[id(buffers.tensor(name))] = len(self._stored)
                self._variable(name, buffer, trainable=False)
        state = found.optimizer.state
        for name, parameter in found.parameters.items():
            for key, value in state.get(parameter, {}).items():
                if isinstance(value, Tensor):
                    self._variable(f"optimizer.{name}.{key}", value, trainable=False)
        self._keep_random()

    def _keep_random(self) -> None:
        for device, state in self._found.calls[0].random.items() if self._found.calls else ():
            self._variable(f"{RANDOM}{device}", state, trainable=False)

    def _graph(self) -> dict[str, bytes]:
        """The files that say what the step computes; what else it took from outside becomes an input."""
        log, found = self._noticed.log, self._found
        targets = [
            Target(each.name, each.role, each.variable, at_of(log.use(found.tested[each.name])))
            for each in found.trouble.tested
            if each.name in found.tested
        ]
        noted = log.take()
        if noted is None:
            return troubled("what the step did was not noted, as the observer of PyTorch could not be built")
        noted = taken_apart(noted, self._noticed.graphs)
        if not noted.trouble and not any(each.at is not None and _is_made(noted, each.at.memory) for each in targets):
            noted = noted._replace(trouble="it was computed by what is not seen, such as compiled code")
        known = {each.at.memory for each in self._kept} | self._summed()
        for name, at in named_memories(noted, log.find, self._noticed.frames):
            if at.memory not in known:
                known.add(at.memory)
                number = len(self._arguments)
                tensor = tensor_in(noted.memories[at.memory] or Content(), at)
                self._arguments.append(
                    StoredArgument(self._keep(self._batch, f"argument{number}", name, tensor), number)
                )
                self._kept.append(Kept(False, number, at))
        # What other processes have sent into a variable, a buffer say, is not what it held before the step.
        sent = set(noted.arrived)
        kept = [each for each in self._kept if not _is_made(noted, each.at.memory) and each.at.memory not in sent]
        at_hand = (tensor for _, tensor in tensors_in_frames(self._noticed.frames))
        loaded = map(log.find, filter(self._noticed.is_loaded, at_hand))
        self._loaded |= {each.memory for each in loaded if each is not None}
        before = Before.MODULE if found.calls else Before.STEP
        return files_of(noted, StepInputs(kept, before, frozenset(self._loaded), frozenset(sent)), targets)

    def _summed(self) -> set[int]:
        """The memories of gradients from before, to which the step adds: they are no inputs."""
        found = (self._noticed.log.find(each.grad) for each in self._found.parameters.values() if each.grad is not None)
        return {at.memory for at in found if at is not None}

    def _parameter(self, name: str, parameter: Any) -> None:
        self._place(parameter, len(self._stored), variable=True)
        self._numbers[id(parameter)] = len(self._stored)
        self._variable(name, parameter, trainable=bool(parameter.requires_grad))

    def _place(self, tensor: Any, number: int, *, variable: bool) -> None:
        """Notes where an input or a variable lies that the step uses."""
        at = self._noticed.log.find(tensor)
        if at is not None:
            self._kept.append(Kept(variable, number, at))
            if not variable and self._noticed.is_loaded(tensor):
                self._loaded.add(at.memory)

    def _variable(self, name: str, tensor: Any, *, trainable: bool) -> None:
        number = len(self._stored)
        stored = self._keep(self._variables, f"variable{number}", name, tensor)
        self._stored.append(StoredVariable(stored, number, trainable))

    def _keep(self, tensors: dict[str, Array], key: str, name: str, tensor: Any) -> StoredTensor:
        array = array_of(tensor)
        if array is None:
            return StoredTensor(name, "unknown", tuple(tensor.shape), "", "its elements can't be kept")
        return self._room.keep(tensors, key, name, array)


def _is_made(noted: Noted, memory: int) -> bool:
    """Whether the step has made a memory itself."""
    return memory < len(noted.memories) and noted.memories[memory] is None


def array_of(tensor: Any) -> Array | None:
    """The elements of a tensor; None where it has none of its own, or of a type that NumPy can't have."""
    import torch

    try:
        whole = tensor.detach()
        whole = whole.full_tensor() if hasattr(whole, "full_tensor") else whole
        whole = whole.to_dense() if whole.layout != torch.strided else whole
        whole = whole.cpu().resolve_conj().resolve_neg()
        if whole.dtype == torch.bfloat16:
            import ml_dtypes

            return np.array(whole.view(torch.int16).numpy().view(ml_dtypes.bfloat16))
        return np.array(whole.numpy())
    except (TypeError, RuntimeError, NotImplementedError):
        return None


def _names_of(call: Call) -> Iterator[str]:
    """The names of what a module is given by position, as its `forward` has them."""
    import inspect

    names: list[str] = []
    try:
        for each in inspect.signature(call.module.forward).parameters.values():
            if each.kind not in {each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD}:
                break
            names.append(each.name)
    except (TypeError, ValueError):
        pass
    yield from names[: len(call.args)]
    yield from (f"args[{i}]" for i in range(len(names), len(call.args)))


def _plain(value: Any) -> Any:
    """A value as JSON has it; what it has not as its type and text, for people."""
    from torch import Tensor

    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else {"number": repr(value)}
    if isinstance(value, (tuple, list)):
        return {"list": [_plain(each) for each in value]}
    if isinstance(value, Tensor) and value.numel() == 1:
        return _plain(value.item())
    return {"type": type(value).__name__, "text": repr(value)[:200]}
