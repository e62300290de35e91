"""Knows whether other processes run functions too: the workers of a parameter server strategy, or the host of a TPU.

The eager runtime sends them the definitions, and they have none of our operations; so where there are any, the
program's functions must stay as they are. Servers that this process itself has started know our operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensordbg.backends.tensorflow.internals import context, server_lib
from tensordbg.backends.tensorflow.own_frames import unseen


class RemoteWorkers:
    """The hook into what makes servers and what connects to them; it stays."""

    def __init__(self) -> None:
        self._own: set[str] = set()
        """Addresses of the servers that this process has started."""
        self._installed = False

    def install(self, before_connecting: Callable[[bool], None]) -> None:
        """Sees from now on when the runtime is connected to a cluster.

        Args:
            before_connecting: Is told whether other processes are in it.
        """
        if self._installed:
            return
        self._installed = True
        start = server_lib.Server.__init__

        def started(this: Any, *args: Any, **kwargs: Any) -> None:
            start(this, *args, **kwargs)
            definition = this.server_def
            self._own.update(_addresses(definition, definition.job_name, definition.task_index))

        server_lib.Server.__init__ = unseen(started)
        for name in ("set_server_def", "update_server_def"):
            setattr(context.Context, name, unseen(self._announcing(getattr(context.Context, name), before_connecting)))

    def there_are(self) -> bool:
        """Whether the runtime is connected to other processes."""
        return self._are_in(context.context().get_server_def())

    def _announcing(self, connect: Callable[..., Any], before_connecting: Callable[[bool], None]) -> Callable[..., Any]:
        def connected(runtime: Any, definition: Any, *args: Any, **kwargs: Any) -> Any:
            before_connecting(self._are_in(definition))
            return connect(runtime, definition, *args, **kwargs)

        return connected

    def _are_in(self, definition: Any) -> bool:
        if definition is None:
            return False
        own = _addresses(definition, definition.job_name, definition.task_index)
        return bool(_addresses(definition) - own - self._own)


def _addresses(definition: Any, job_name: str = "", task: int = 0) -> set[str]:
    """The addresses of all tasks of a cluster, or of one."""
    tasks = [(job.name, index, address) for job in definition.cluster.job for index, address in job.tasks.items()]
    return {address for name, index, address in tasks if not job_name or (name, index) == (job_name, task)}
