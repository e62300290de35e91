"""The processes that a program starts to train together, watched as the program is.

PyTorch starts them by `torchrun`, whose work `elastic_launch` does, and by `torch.multiprocessing.spawn`. A process
that is forked goes on as it is, unwatched: what a recorder holds does not go well with that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tensordbg.recording.handed_on import HandedOn, handed_on
from tensordbg.recording.imports import ImportWatch

_SPAWN = "torch.multiprocessing.spawn"
_LAUNCHER = "torch.distributed.launcher.api"
_STARTED_ANEW = ("spawn", "forkserver")
_done: set[str] = set()


class WatchedFunction:
    """The function that a process is started with, watched there; it is pickled with all that it holds."""

    def __init__(self, watching: HandedOn, function: Callable[..., object]) -> None:
        self._watching = watching
        self._function = function

    def __call__(self, *arguments: Any) -> None:
        """Runs it."""

        def run() -> None:
            self._function(*arguments)

        run.__name__ = getattr(self._function, "__name__", "process")
        self._watching.run(run)


def watch_processes() -> None:
    """Has processes that are started from now on watched, where somebody has said how."""
    if handed_on() is not None and not _done:
        _done.add(_SPAWN)
        ImportWatch({_SPAWN: _watch_spawn, _LAUNCHER: _watch_launcher}).start()


def _watch_spawn() -> None:
    home: Any = sys.modules[_SPAWN]
    package: Any = sys.modules[_SPAWN.rpartition(".")[0]]
    plain = home.start_processes

    def start_processes(
        fn: Callable[..., object],
        args: tuple[Any, ...] = (),
        nprocs: int = 1,
        join: bool = True,
        daemon: bool = False,
        start_method: str = "spawn",
        **more: Any,
    ) -> Any:
        watching = handed_on()
        if watching is not None and start_method in _STARTED_ANEW and not isinstance(fn, WatchedFunction):
            fn = WatchedFunction(watching, fn)
        return plain(fn, args, nprocs, join, daemon, start_method, **more)

    home.start_processes = start_processes
    package.start_processes = start_processes


def _watch_launcher() -> None:
    launch: Any = sys.modules[_LAUNCHER].elastic_launch
    plain = launch.__call__

    def call(self: Any, *args: Any) -> Any:
        watching, command = handed_on(), self._entrypoint
        if watching is None or not isinstance(command, str):
            return plain(self, *args)
        _, *rest = watching.command((command, *map(str, args)))
        return plain(self, *rest)

    launch.__call__ = call
