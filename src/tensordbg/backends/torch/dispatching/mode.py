"""The dispatch mode, and how it comes into each thread."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

KEEPS_COMPILER = hasattr(TorchDispatchMode, "ignore_compile_internals")
"""Whether this PyTorch still compiles while the mode is there."""

Look = Callable[[Any, Any, Any], Any]
"""(function, arguments, named arguments) -> the result of the function."""


class Mode(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Hands over each operation that reaches a kernel, of this thread."""

    supports_higher_order_operators = True

    def __init__(self, look: Look) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.look: Look | None = look

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Leaves `torch.compile` on, in versions that ask."""
        return True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Runs an operation as it is, and has it looked at."""
        del types
        look = self.look
        if look is None or not hasattr(func, "_schema"):  # some are made of others, and have none
            return func(*args, **(kwargs or {}))
        return look(func, args, kwargs or {})


class Modes:
    """The modes of all threads."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._modes: list[Mode] = []
        self._undo: Callable[[], None] = _nothing

    def start(self) -> None:
        """Sees this thread from now on, and those that are started."""
        self.enter()
        thread_class: Any = threading.Thread
        bootstrap = thread_class._bootstrap_inner  # noqa: SLF001  what runs in a new thread, before `run`

        @functools.wraps(bootstrap)
        def begin(thread: threading.Thread) -> None:
            mode = self.enter()
            try:
                bootstrap(thread)
            finally:
                mode.look = None

        thread_class._bootstrap_inner = begin  # noqa: SLF001
        self._undo = lambda: setattr(thread_class, "_bootstrap_inner", bootstrap)

    def enter(self) -> Mode:
        """Sets a mode in this thread."""
        mode = Mode(self._look)
        self._modes.append(mode)
        mode.__enter__()  # type: ignore[no-untyped-call]
        return mode

    def stop(self) -> None:
        """Sees nothing from now on; where the program has set a mode of its own above, ours stays and passes all on."""
        self._undo()
        for mode in self._modes:
            mode.look = None
        if self._modes and _get_current_dispatch_mode() is self._modes[0]:
            self._modes[0].__exit__(None, None, None)  # type: ignore[no-untyped-call]
        self._modes.clear()


def _nothing() -> None:
    """Stands for undoing where nothing was done."""
