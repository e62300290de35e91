"""Calls hooks around every step of every optimizer: PyTorch's own, and Keras's where PyTorch is its backend.

A hook is given what PyTorch gives those that `register_optimizer_step_pre_hook` and its twin register: the optimizer,
its arguments, the named ones. Keras's optimizers look to it as PyTorch's do, see `keras/optimizers.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from tensordbg.backends.torch.keras.optimizers import KERAS_STEPS, After, Before
from tensordbg.backends.torch.steps.uncompiled import Uncompiled


def watch_steps(before: Before, after: After | None = None) -> Callable[[], None]:
    """Calls hooks before and behind each step from now on, in the order in which they came.

    Returns:
        What takes them out again.
    """
    from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

    undo = contextlib.ExitStack()
    for hook, register in ((before, register_optimizer_step_pre_hook), (after, register_optimizer_step_post_hook)):
        if hook is not None:
            uncompiled = undo.enter_context(Uncompiled(hook))
            undo.callback(register(uncompiled.hook).remove)
    undo.callback(KERAS_STEPS.watch(before, after))
    return undo.close
