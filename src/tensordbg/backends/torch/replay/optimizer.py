"""Runs the step of a captured optimizer, where it is one of PyTorch's, to tell what it makes of the variables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tensordbg.capture.reader import Capture
from tensordbg.capture.tensors import Array
from tensordbg.errors import CaptureError
from tensordbg.json_input import load_json
from tensordbg.opening import read_whole

_KNOWN = frozenset("ASGD Adadelta Adagrad Adam AdamW Adamax NAdam RAdam RMSprop Rprop SGD".split())  # noqa: SIM905
_MOST_BYTES = 2**26


def updated(capture: Capture, variables: Mapping[str, Array], gradients: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the parameters behind the optimizer's step, by name; None where its optimizer is not known.

    Args:
        capture: Which names the optimizer.
        variables: What the variables held before, among them what the optimizer keeps.
        gradients: By the names of the parameters.
    """
    import torch

    told = _optimizer(capture)
    kind = str(told.get("class", "")).rpartition(".")
    if not kind[0].startswith("torch.optim") or kind[2] not in _KNOWN:
        return None
    groups, parameters = [], {}
    for group in told.get("groups", ()):
        trained = [name for name in group.get("params", ()) if name in gradients and name in variables]
        for name in trained:
            parameters[name] = _parameter(variables[name], gradients[name])
        settings = {
            key: _setting(value) for key, value in group.items() if key not in {"params", "initial_lr", "swa_lr"}
        }
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


def _parameter(value: Array, gradient: Any) -> Any:
    import torch

    from tensordbg.backends.torch.replay.memory import torch_dtype

    raw = torch.from_numpy(value.copy().view("u1") if value.ndim else value.reshape(1).copy().view("u1"))
    parameter = torch.nn.Parameter(raw.view(torch_dtype(value)).reshape(value.shape).clone())
    parameter.grad = gradient.detach().clone().to(parameter.dtype)
    return parameter


def _setting(value: Any) -> Any:
    if isinstance(value, dict):
        if "list" in value:
            return tuple(_setting(each) for each in value["list"])
        return float(value["number"]) if "number" in value else None
    return value


def _optimizer(capture: Capture) -> dict[str, Any]:
    try:
        told = load_json(read_whole(capture.path / "step.json", _MOST_BYTES))
        found = told["optimizer"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CaptureError(f"{capture.path / 'step.json'} can't be read: {error}; take another capture") from None
    return found if isinstance(found, dict) else json.loads("{}")
