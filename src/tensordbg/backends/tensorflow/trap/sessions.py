"""Says that the steps of sessions are not tested, where a program trains in one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from tensordbg.backends.tensorflow.internals import session as sessions
from tensordbg.backends.tensorflow.methods import Method, ReplacedMethods
from tensordbg.gradient_names import differentiated_name

_SAID = (
    "the program trains in a session of TensorFlow 1, whose steps the trap does not test; `tdbg run --check` ends it "
    "at the first infinity or NaN, `tdbg run` says where that came from"
)


class SessionSteps:
    """Looks on at the runs of sessions while it is installed."""

    def __init__(self, guard: Callable[[str], AbstractContextManager[None]], warn: Callable[[str], None]) -> None:
        """`guard` runs code of ours inside the program, `warn` says something."""
        self._methods = ReplacedMethods(guard)
        self._guard = guard
        self._warn = warn
        self._said = False
        self._looked_at = (0, 0)

    def install(self) -> None:
        """Looks on from now on."""
        self._methods.install(Method(sessions.__name__, "BaseSession.run", self._watching))

    def uninstall(self) -> None:
        """Looks on no longer."""
        self._methods.uninstall()

    def _watching(self, plain: Any) -> Any:
        def run(session: Any, *args: Any, **kwargs: Any) -> Any:
            with self._guard("looking on at a session"):
                if not self._said and self._trains(session.graph):
                    self._said = True
                    self._warn(_SAID)
            return plain(session, *args, **kwargs)

        return run

    def _trains(self, graph: Any) -> bool:
        """Whether a graph that has grown since it was last seen computes gradients."""
        seen = id(graph), graph.version
        if seen == self._looked_at:
            return False
        self._looked_at = seen
        return any(differentiated_name(operation.name) for operation in graph.get_operations())
