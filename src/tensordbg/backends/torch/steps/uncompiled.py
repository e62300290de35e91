"""Has Dynamo leave a hook out of what it compiles, where an optimizer's `step` or a backward pass is compiled.

It would go into the hook: compile it, warn of what it can't, and compile it anew each time that something in it has
changed. PyTorch's own `step` and `backward` are split at such a place anyway.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType, NoneType, TracebackType
from typing import Any

from tensordbg.backends.torch.compiled.dynamo import leave_out, runs_compiled
from tensordbg.recording.imports import ImportWatch

_DYNAMO = "torch._dynamo"


class Uncompiled:
    """A hook that calls another one, which is marked for Dynamo as soon as a program imports that."""

    def __init__(self, hook: Callable[..., Any]) -> None:
        self._plain: Any = hook
        self._left_out: Any = hook
        self._runs_compiled: Callable[[], object] = NoneType
        self._watch = ImportWatch({_DYNAMO: self._mark})

    def __enter__(self) -> Uncompiled:
        """Watches for the import."""
        self._watch.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Watches no more."""
        self._watch.stop()

    def hook(self, *given: Any) -> Any:
        """Calls it; within compiled code by what keeps Dynamo away, which takes microseconds in each step."""
        return (self._plain if self._runs_compiled() is None else self._left_out)(*given)

    def _mark(self) -> None:
        leave_out(Uncompiled.hook)
        self._left_out = sys.modules["torch.compiler"].disable(self._plain)
        self._runs_compiled = runs_compiled()


def caller_of_hook() -> FrameType:
    """The frame that runs the hooks, asked in one of them."""
    frame = sys._getframe(2)  # noqa: SLF001
    while frame.f_back is not None and (
        frame.f_code is Uncompiled.hook.__code__ or frame.f_globals.get("__name__", "").startswith(_DYNAMO)
    ):
        frame = frame.f_back
    return frame
