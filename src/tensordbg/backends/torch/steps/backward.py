"""Calls a hook before each backward pass that a program asks for: all go by `torch.autograd.backward`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from tensordbg.backends.torch.compiled.internals import leave_out
from tensordbg.backends.torch.steps.uncompiled import Uncompiled
from tensordbg.recording.imports import ImportWatch


def watch_backward(hook: Callable[[list[Any]], None]) -> Callable[[], None]:
    """Calls a hook from now on, and returns what ends that.

    Where what takes gradients is compiled, Dynamo leaves the hook out: it would compile it and warn of what it can't.

    Args:
        hook: Is given the tensors of which gradients are to be taken.
    """
    import torch

    undo, plain = contextlib.ExitStack(), torch.autograd.backward
    uncompiled = undo.enter_context(Uncompiled(hook))

    def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        uncompiled.hook([tensors] if isinstance(tensors, torch.Tensor) else list(tensors))
        return plain(tensors, *args, **kwargs)

    watch = ImportWatch({"torch._dynamo": lambda: leave_out(backward)})
    watch.start()
    undo.callback(watch.stop)
    torch.autograd.backward = backward
    undo.callback(setattr, torch.autograd, "backward", plain)
    return undo.close
