"""Has a program's own modules and optimizer hold what they held before a captured step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tensordbg.backends.torch.captured.generators import CPU, put_state
from tensordbg.backends.torch.captured.graph import At
from tensordbg.backends.torch.replay.captured_inputs import CapturedInputs
from tensordbg.backends.torch.replay.captured_step import CapturedCall, CapturedStep, plain_path
from tensordbg.backends.torch.replay.memory import tensor_of
from tensordbg.backends.torch.replay.optimizer import is_known, setting_of
from tensordbg.backends.torch.trap.capture import RANDOM
from tensordbg.capture.reader import Capture


class CapturedVariables:
    """The captured variables of a step."""

    def __init__(self, capture: Capture, step: CapturedStep) -> None:
        """Reads them.

        Raises:
            CaptureError: If they are damaged.
        """
        self._values = capture.variables()
        self._numbers: dict[str, int] = {}
        for each in capture.header.variables:
            self._numbers.setdefault(each.tensor.name, each.argument)
        self._optimizer = step.optimizer
        self._tensors: dict[int, Any] = {}
        """The program's own, by the numbers of those captured."""

    def put_into(self, module: Any, call: CapturedCall) -> list[str]:
        """Gives a module's parameters and buffers their values; returns the paths of those that it lacks."""
        import torch
        from torch.nn.parameter import is_lazy

        own = {plain_path(path): each for path, each in _tensors_of(module)}
        missing = []
        for path, number in call.variables.items():
            tensor, value = own.get(path), self._values.get(number)
            if tensor is not None and value is not None and is_lazy(tensor):
                tensor.materialize(value.shape)
            if tensor is None or value is None or tuple(tensor.shape) != value.shape:
                missing.append(path)
                continue
            with torch.no_grad():
                tensor.copy_(tensor_of(value))
            self._tensors[number] = tensor
        return missing

    def put_again(self, optimizer: Any) -> None:
        """Gives what another optimizer has just trained its values again: a capture has them as behind that."""
        import torch

        trained = {id(each) for group in optimizer.param_groups for each in group["params"]}
        with torch.no_grad():
            for number, tensor in self._tensors.items():
                if id(tensor) in trained:
                    tensor.copy_(tensor_of(self._values[number]))

    def fit(self, module: Any, call: CapturedCall) -> bool:
        """Whether most parameters of a module have the sizes of those captured of a call."""
        own = {plain_path(path): tuple(each.shape) for path, each in module.named_parameters() if _has_sizes(each)}
        shared = [path for path in own if call.variables.get(path) in self._values]
        alike = sum(own[path] == self._values[call.variables[path]].shape for path in shared)
        return 2 * alike >= len(shared)

    def may_be_trained_by(self, optimizer: Any) -> bool:
        """Whether an optimizer is of the captured class, and its parameters are as large as those it trained."""
        names = [name for group in self._groups() for name in group.get("params", ())]
        wanted = [self._values[number].shape for number in map(self._numbers.get, names) if number in self._values]
        own = [tuple(each.shape) for group in optimizer.param_groups for each in group["params"] if _has_sizes(each)]
        return self._is_of_its_class(optimizer) and sorted(own) == sorted(wanted)

    def parameter(self, name: str) -> Any:
        """The program's own parameter, by its name in the capture; None where it has none."""
        return self._tensors.get(self._numbers.get(name, -1))

    def put_gradients(self, inputs: CapturedInputs, targets: Mapping[str, At]) -> None:
        """Gives parameters the gradients from before the step, to which it adds."""
        for name, at in targets.items():
            parameter, gradient = self.parameter(name), inputs.gradient(at)
            if parameter is not None and gradient is not None and parameter.shape == gradient.shape:
                parameter.grad = gradient.to(parameter.device)

    def put_random_state(self) -> None:
        """Gives PyTorch's generators their states, of those devices that are here."""
        import torch

        for name, number in self._numbers.items():
            device, state = name.removeprefix(RANDOM), self._values.get(number)
            if not name.startswith(RANDOM) or state is None:
                continue
            is_gpu_here = torch.cuda.is_available() and int(device.partition(":")[2] or 0) < torch.cuda.device_count()
            if device == CPU or is_gpu_here:
                put_state(device, tensor_of(state))

    def has_trained(self, optimizer: Any) -> bool:
        """Whether an optimizer trains what the captured one did."""
        if not self._is_of_its_class(optimizer):
            return False
        wanted = {id(self.parameter(name)) for group in self._groups() for name in group.get("params", ())}
        return any(id(each) in wanted for group in optimizer.param_groups for each in group["params"])

    def put_into_optimizer(self, optimizer: Any) -> None:
        """Gives one of PyTorch's own optimizers its settings and what it has kept of earlier steps."""
        if not is_known(self._optimizer):
            return
        for group, told in zip(optimizer.param_groups, self._groups(), strict=False):
            for key, value in told.items():
                setting = setting_of(value)
                if key in group and key != "params" and (setting is not None or value is None):
                    group[key] = setting
            for name in told.get("params", ()):
                parameter = self.parameter(name)
                kept = {
                    key.removeprefix(f"optimizer.{name}."): tensor_of(self._values[number])
                    for key, number in self._numbers.items()
                    if key.startswith(f"optimizer.{name}.") and number in self._values
                }
                if parameter is not None and kept:
                    is_there = told.get("fused") or told.get("capturable")  # ... it counts its steps where it computes
                    optimizer.state[parameter] = {
                        key: each if each.dim() == 0 and not is_there else each.to(parameter.device)
                        for key, each in kept.items()
                    }

    def _is_of_its_class(self, optimizer: Any) -> bool:
        return type(optimizer).__name__ == str(self._optimizer.get("class", "")).rpartition(".")[2]

    def _groups(self) -> Iterator[Mapping[str, Any]]:
        yield from (each for each in self._optimizer.get("groups", ()) if isinstance(each, dict))


def _has_sizes(tensor: Any) -> bool:
    from torch.nn.parameter import is_lazy

    return not is_lazy(tensor)


def _tensors_of(module: Any) -> Iterator[tuple[str, Any]]:
    yield from module.named_parameters(remove_duplicate=False)
    yield from module.named_buffers(remove_duplicate=False)
