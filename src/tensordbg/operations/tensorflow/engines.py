"""TensorFlow's types that compute much at once, in what holds no operations of TensorFlow."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ENGINES: Mapping[str, str] = MappingProxyType(
    {
        "RemoteCall": "a function on another device",
        "SymbolicGradient": "the gradient of a `Defun`, which the runtime makes by itself",
        "TPUPartitionedCall": "a function on a TPU",
        "TRTEngineOp": "an engine of TensorRT",
        "XlaCallModule": "a module that XLA runs as a whole, such as one exported from JAX",
        "XlaLaunch": "a cluster that XLA compiled",
    }
)
"""What each runs, in words."""
