"""Calls hooks around each backward pass that a program asks for: all go by `torch.autograd.backward`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from tensordbg.backends.torch.compiled.dynamo import leave_out
from tensordbg.backends.torch.steps.uncompiled import Uncompiled
from tensordbg.recording.imports import ImportWatch


def _nothing(_error: BaseException | None) -> None:
    """Stands for a hook behind the pass where there is none."""


def watch_backward(
    before: Callable[[list[Any]], None], after: Callable[[BaseException | None], None] = _nothing
) -> Callable[[], None]:
    """Calls hooks from now on, and returns what ends that.

    Where what takes gradients is compiled, Dynamo leaves the hooks out: it would compile and warn of them.

    Args:
        before: Is given the tensors of which gradients are to be taken.
        after: Is given the error that the pass ended with, None where it raised none.
    """
    import torch

    undo, plain = contextlib.ExitStack(), torch.autograd.backward
    begin, end = (undo.enter_context(Uncompiled(hook)) for hook in (before, after))

    def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        begin.hook([tensors] if isinstance(tensors, torch.Tensor) else list(tensors))
        error: BaseException | None = None
        try:
            return plain(tensors, *args, **kwargs)
        except BaseException as raised:
            error = raised
            raise
        finally:
            end.hook(error)

    watch = ImportWatch({"torch._dynamo": lambda: leave_out(backward)})
    watch.start()
    undo.callback(watch.stop)
    torch.autograd.backward = backward
    undo.callback(setattr, torch.autograd, "backward", plain)
    return undo.close
