"""Runs the step of a captured optimizer, where it is one of PyTorch's, to tell what it makes of the variables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tensordbg.backends.torch.replay.captured_step import read_step
from tensordbg.backends.torch.replay.memory import tensor_of
from tensordbg.capture.reader import Capture
from tensordbg.capture.tensors import Array

_LEFT_OUT = frozenset({"params", "initial_lr", "swa_lr", "fused", "capturable"})
"""What is no setting of the update, or says how it is computed on a GPU only."""
_KNOWN = frozenset("ASGD Adadelta Adagrad Adam AdamW Adamax NAdam RAdam RMSprop Rprop SGD".split())  # noqa: SIM905


def updated(capture: Capture, variables: Mapping[str, Array], gradients: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the parameters behind the optimizer's step, by name; None where its optimizer is not known.

    Args:
        capture: Which names the optimizer.
        variables: What the variables held before, among them what the optimizer keeps.
        gradients: By the names of the parameters.
    """
    import torch

    told = read_step(capture).optimizer
    kind = str(told.get("class", "")).rpartition(".")
    if not is_known(told):
        return None
    groups, parameters = [], {}
    for group in told.get("groups", ()):
        trained = [name for name in group.get("params", ()) if name in gradients and name in variables]
        for name in trained:
            parameters[name] = _parameter(variables[name], gradients[name])
        settings = {key: setting_of(value) for key, value in group.items() if key not in _LEFT_OUT}
        groups.append({**settings, "params": [parameters[name] for name in trained]})
    try:
        optimizer = getattr(torch.optim, kind[2])([group for group in groups if group["params"]])
        for name, parameter in parameters.items():
            kept = {
                key.removeprefix(f"optimizer.{name}."): torch.from_numpy(value.copy())
                for key, value in variables.items()
                if key.startswith(f"optimizer.{name}.")
            }
            if kept:
                optimizer.state[parameter] = kept
        optimizer.step()
    except (RuntimeError, TypeError, ValueError, KeyError, AttributeError):
        return None
    return {name: parameter.detach() for name, parameter in parameters.items()}


def bad_rate(capture: Capture) -> float | None:
    """The first learning rate of the captured optimizer that is not finite."""
    rates = (setting_of(group.get("lr")) for group in read_step(capture).optimizer.get("groups", ()))
    return next((each for each in rates if isinstance(each, float) and not math.isfinite(each)), None)


def is_known(told: Mapping[str, Any]) -> bool:
    """Whether an optimizer is one of PyTorch's own, whose step is known."""
    module, _, name = str(told.get("class", "")).rpartition(".")
    return module.startswith("torch.optim") and name in _KNOWN


def _parameter(value: Array, gradient: Any) -> Any:
    import torch

    parameter = torch.nn.Parameter(tensor_of(value))
    parameter.grad = gradient.detach().cpu().clone().to(parameter.dtype)
    return parameter


def setting_of(value: Any) -> Any:
    """A setting of an optimizer, from what a capture says of it; None where it is no plain value."""
    if isinstance(value, dict):
        if "list" in value:
            return tuple(setting_of(each) for each in value["list"])
        return float(value["number"]) if "number" in value else None
    return value
