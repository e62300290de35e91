"""Tells frames in which PyTorch calls a module: `torch.nn.Module._call_impl`, private, since PyTorch 1.5.

It runs the hooks and the module's `forward`; since 2.1 with the help of a function within it.
"""

from __future__ import annotations

from types import FrameType

_MODULE, _CALLING = "torch.nn.modules.module", "_call_impl"


def is_in_module_call(frame: FrameType) -> bool:
    """Whether a frame is PyTorch's own, around what a module computes."""
    return frame.f_globals.get("__name__") == _MODULE


def calls_module(frame: FrameType) -> bool:
    """Whether a frame is that which calls a module; its `self` is the module."""
    return frame.f_code.co_name == _CALLING and is_in_module_call(frame)
