"""The server's application as a WSGI application below a prefix, made with its first request."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

Environment = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environment, StartResponse], Iterable[bytes]]


class Mount:
    """Serves the traces of a folder below a prefix."""

    def __init__(self, prefix: str, folder: Path) -> None:
        """Imports nothing yet.

        Args:
            prefix: Of the paths, without a slash at its end.
            folder: With traces at any depth; there may be none yet.
        """
        self._prefix = prefix
        self._folder = folder
        self._lock = threading.Lock()

    def __call__(self, environment: Environment, start_response: StartResponse) -> Iterable[bytes]:
        """See WSGI."""
        with self._lock:
            application = self._application
        return application(self._below(environment), start_response)

    @cached_property
    def _application(self) -> Application:
        from a2wsgi import ASGIMiddleware

        from tensordbg.server.app import make_app
        from tensordbg.server.library import Library
        from tensordbg.server.settings import Settings

        # Who may come in and who may frame TensorBoard's pages (a notebook does) is TensorBoard's own affair, and it
        # warns of policies with a nonce.
        settings = Settings(hosts=None, frame_ancestors="", made_styles="'unsafe-inline'")
        application = make_app(Library(self._folder), settings)
        return cast(Application, ASGIMiddleware(cast(Any, application)))

    def _below(self, environment: Environment) -> Environment:
        """The request as it is below the prefix, with everything that a2wsgi does not decode made harmless."""
        path = environment.get("PATH_INFO", "").removeprefix(self._prefix)
        decoded = path.encode("latin-1").decode(errors="replace").encode().decode("latin-1")
        return {
            **environment,
            "SCRIPT_NAME": environment.get("SCRIPT_NAME", "") + self._prefix,
            "PATH_INFO": decoded,
            "QUERY_STRING": quote(environment.get("QUERY_STRING", ""), safe=_ASCII, encoding="latin-1"),
        }


_ASCII = "".join(map(chr, range(0x21, 0x7F)))
