"""Which package a file of installed code is of, by its path alone: also on a machine that nobody here knows.

Whether a file is installed code at all, here, is decided by the real folders (`recording/usercode.py`).
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import PurePosixPath

_FOLDERS = frozenset({"site-packages", "dist-packages"})
"""Where packages are put, mostly; `pip install --target` puts them anywhere."""

KERAS = frozenset({"keras", "tf_keras"})
FRAMEWORKS = frozenset({"tensorflow", *KERAS})

COMPUTING = {
    "jax": "JAX",
    "onnxruntime": "ONNX Runtime",
    "torch": "PyTorch",
    "tflite_runtime": "the TFLite interpreter",
    "ai_edge_litert": "the TFLite interpreter",
}
"""Modules of libraries that compute with tensors of their own, with what people call them."""


def is_among_packages(file: str) -> bool:
    """Whether a file lies where packages are put."""
    return not _FOLDERS.isdisjoint(PurePosixPath(file).parts[:-1])


def is_part_of(file: str, packages: AbstractSet[str]) -> bool:
    """Whether a file that is not the user's own is part of one of these packages."""
    folders = PurePosixPath(file).parts[:-1]
    innermost = max((k for k, folder in enumerate(folders) if folder in _FOLDERS), default=-1)
    if innermost < 0:
        return not packages.isdisjoint(folders)
    return innermost + 1 < len(folders) and folders[innermost + 1] in packages


def is_of(module: str, packages: AbstractSet[str]) -> bool:
    """Whether a module, by its full name, is of one of these packages."""
    return module.partition(".")[0] in packages
