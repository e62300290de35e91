"""Keras's layers where PyTorch is its backend: modules of PyTorch's that know their own place and name.

A layer holds its variables in a `ParameterDict` called `_torch_params`, by their paths in the model, and not as
attributes; layers are held in lists that PyTorch does not look into.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

_HELD_IN = "_torch_params."
"""The attribute of `keras.src.backend.torch.layer.TorchLayer` that holds a layer's variables; since Keras 3.0."""


def plain_name(parameter: str) -> str:
    """The name of a parameter as Keras has it, such as `hidden/kernel`; any other one is as it was."""
    return parameter.rpartition(_HELD_IN)[2]


def path_in(outermost: Any, module: Any) -> str:
    """The path of one of Keras's layers in its model, as in `encoder.hidden`; empty for the model, and for all else."""
    layer = getattr(sys.modules.get("keras"), "Layer", None)
    if layer is None or module is outermost or not (isinstance(module, layer) and isinstance(outermost, layer)):
        return ""
    path = str(module.path or module.name)
    return path.removeprefix(f"{outermost.path or outermost.name}/").replace("/", ".")


def is_symbolic(given: Any) -> bool:
    """Whether what a layer is called with has no elements yet, since a model is being put together."""
    symbol = getattr(sys.modules.get("keras"), "KerasTensor", None)
    if symbol is None:
        return False
    if isinstance(given, Mapping):
        return any(is_symbolic(each) for each in given.values())
    if isinstance(given, (list, tuple)):
        return any(is_symbolic(each) for each in given)
    return isinstance(given, symbol)
