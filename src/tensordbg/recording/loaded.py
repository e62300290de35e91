"""What else a program has loaded that computes numbers: libraries that are not recorded, for what comes from them."""

from __future__ import annotations

import sys

LIBRARIES = ("ai_edge_litert", "jax", "onnxruntime", "tflite_runtime", "torch")
"""Modules of libraries that compute with tensors of their own."""


def loaded_libraries() -> list[str]:
    """Those of them that this process has imported, whatever the text of the program says."""
    return [name for name in LIBRARIES if sys.modules.get(name) is not None]
