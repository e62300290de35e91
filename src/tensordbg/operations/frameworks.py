"""The frameworks by the names of their modules, as sites, tables and advice name them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

TENSORFLOW, TORCH = "tensorflow", "torch"

TITLES: Mapping[str, str] = MappingProxyType({TENSORFLOW: "TensorFlow", TORCH: "PyTorch"})
"""What each is called in sentences."""


def framework_of_type(op_type: str) -> str:
    """The framework that has a type of operation: the names of PyTorch's have a namespace, `aten::log`."""
    return TORCH if "::" in op_type else TENSORFLOW
