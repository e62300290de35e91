"""States of PyTorch's generators of random numbers, by the name of the device on which they draw: `cpu`, `cuda:0`."""

from __future__ import annotations

from typing import Any

CPU = "cpu"


def state_of(device: str) -> Any:
    """The state of the generator that is drawn from by default on a device, as a tensor of bytes on the processor."""
    import torch

    return torch.get_rng_state() if device == CPU else torch.cuda.get_rng_state(device)


def put_state(device: str, state: Any) -> None:
    """Has what is drawn next on a device begin at a state of its generator."""
    import torch

    if device == CPU:
        torch.set_rng_state(state)
    else:
        torch.cuda.set_rng_state(state, device)
