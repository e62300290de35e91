"""Counts the steps of a training: each call of any optimizer's `step` ends one."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tensordbg.recording.recorder import Recorder

_KEY = "PyTorch"


class Steps:
    """The hook into all optimizers."""

    def __init__(self) -> None:
        self._handle: Any = None

    def install(self, recorder: Recorder, observer: ModuleType) -> None:
        """Counts from 0 from now on; a step that the recording leaves out is left out as a whole."""
        from torch.optim.optimizer import register_optimizer_step_post_hook

        observer.set_step(recorder.wanted_step(_KEY))

        def after(_optimizer: Any, _args: Any, _kwargs: Any) -> None:
            with recorder.guard("ending a step"):
                observer.set_step(recorder.wanted_step(_KEY))

        self._handle = register_optimizer_step_post_hook(after)

    def uninstall(self) -> None:
        """Takes the hook out again."""
        if self._handle is not None:
            self._handle.remove()
            self._handle = None
