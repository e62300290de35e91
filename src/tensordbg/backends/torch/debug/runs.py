"""Tells a debugger of runs: calls of outermost modules, of `backward`, and of optimizers' `step`."""

from __future__ import annotations

import contextlib
import sys
import threading
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from tensordbg.backends.torch.steps.backward import watch_backward
from tensordbg.backends.torch.steps.optimizers import watch_steps
from tensordbg.backends.torch.steps.uncompiled import caller_of_hook
from tensordbg.model import NONE, Function
from tensordbg.recording.recorder import Recorder
from tensordbg.recording.runs import DebuggedCall, RunWatch

_BACKWARD = object()
"""Owns the backward passes: of those that are under way the last one ends first."""


@dataclass(frozen=True)
class _Begun:
    """A call that has begun."""

    owner: object
    run: DebuggedCall | None
    """None of one that is part of a run."""
    frame: FrameType
    """PyTorch's own code that makes the call."""


@dataclass
class _Thread(threading.local):
    """The calls that are under way in one thread."""

    begun: list[_Begun] = field(default_factory=list)


class Runs:
    """The hooks of one recording."""

    def __init__(self, recorder: Recorder, watch: RunWatch) -> None:
        """Nothing is hooked yet."""
        self._recorder = recorder
        self._watch = watch
        self._thread = _Thread()
        self._undo = contextlib.ExitStack()

    def install(self) -> None:
        """Tells the debugger from now on; of modules it is told by `before_module` and `after_module`."""

        def before(optimizer: Any, _args: Any, _kwargs: Any) -> None:
            self._begin(optimizer, f"{type(optimizer).__name__}.step", caller_of_hook())

        def after(optimizer: Any, _args: Any, _kwargs: Any) -> None:
            self._end(optimizer, None)

        self._undo.callback(watch_backward(self._before_backward, self._after_backward))
        # The first hook of all is the one of the steps, which must count this step when it has ended.
        self._undo.callback(watch_steps(before, after))

    def uninstall(self) -> None:
        """Tells it of nothing from now on."""
        self._undo.close()

    def before_module(self, module: Any) -> None:
        """A module is about to be called."""
        self._begin(module, type(module).__name__, sys._getframe(2))  # noqa: SLF001

    def after_module(self, module: Any) -> None:
        """A module has been called, or has raised."""
        self._end(module, sys.exc_info()[1])

    def _before_backward(self, _tensors: list[Any]) -> None:
        self._begin(_BACKWARD, "backward", caller_of_hook())

    def _after_backward(self, error: BaseException | None) -> None:
        self._end(_BACKWARD, error)

    def _begin(self, owner: object, name: str, frame: FrameType) -> None:
        if not self._recorder.active:
            return
        begun = self._thread.begun
        if begun and not _is_under(frame, begun[0].frame):
            # Something has left it that calls no hooks, such as Ctrl-C.
            self._abandon(begun)
        run = None if begun else DebuggedCall(Function(NONE, name, "", NONE), False, frame)
        begun.append(_Begun(owner, run, frame))
        if run is not None:
            try:
                self._watch.before(run)
            except BaseException:
                begun.clear()
                raise

    def _end(self, owner: object, error: BaseException | None) -> None:
        begun = self._thread.begun
        place = next((i for i in range(len(begun) - 1, -1, -1) if begun[i].owner is owner), None)
        if place is None:
            return
        run = begun[place].run
        del begun[place:]
        if run is not None:
            self._watch.after(run, NONE, error)

    def _abandon(self, begun: list[_Begun]) -> None:
        run = begun[0].run
        begun.clear()
        if run is not None:
            self._watch.after(run, NONE, KeyboardInterrupt())


def _is_under(frame: FrameType | None, other: FrameType) -> bool:
    while frame is not None:
        if frame is other:
            return True
        frame = frame.f_back
    return False
