"""The layers of a model as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensordbg.analysis.graphs.layers import Layer, LayerTensor
from tensordbg.wire.health import health_to_json

FORMAT = 1


def layers_to_json(layers: Sequence[Layer]) -> dict[str, Any]:
    """The object that `tdbg layers --json` prints."""
    return {"format": FORMAT, "layers": [_layer(layer) for layer in layers]}


def _layer(layer: Layer) -> dict[str, Any]:
    return {
        "path": layer.path,
        "name": layer.name,
        "class": layer.class_name,
        "outputs": [_tensor(tensor) for tensor in layer.outputs],
        "inner": [_tensor(tensor) for tensor in layer.inner],
    }


def _tensor(tensor: LayerTensor) -> dict[str, Any]:
    last = tensor.last
    return {
        "tensor": last.tensor,
        "op_type": last.op_type,
        "function": last.function,
        "device": last.device,
        "dtype": last.dtype,
        "shape": None if last.shape is None else list(last.shape),
        "events": tensor.events,
        "non_finite": tensor.non_finite,
        "last_step": last.step,
        "last_event": last.event,
        "health": None if last.health is None else health_to_json(last.health),
    }
