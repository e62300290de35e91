"""Listens on a port and serves the page until it is interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import uvicorn

from tensordbg.errors import UsageError
from tensordbg.server.app import make_app
from tensordbg.server.connections import BoundedProtocol, Shortages
from tensordbg.server.library import Library
from tensordbg.server.settings import Settings, local_hosts

LOOPBACK = "127.0.0.1"
_BACKLOG = 64
"""Connections that wait to be taken; where descriptors run out, asyncio reports so many failures at once."""


@dataclass(frozen=True)
class Address:
    """Where to listen."""

    host: str = ""
    """A name or an address; empty for this machine alone."""
    port: int = 0
    """0 for any that is free."""


class Server:
    """A server that listens already, so that its link is known; `run` answers."""

    def __init__(
        self,
        folder: Path | str,
        address: Address,
        editor: str = "",
        frame_ancestors: str = Settings.frame_ancestors,
        against: str = "",
    ) -> None:
        """Takes the port.

        Args:
            folder: A trace, or a folder with traces.
            address: Where to listen. Visitors need the token in the link: other users of this machine, and what runs
                in containers, reach the loopback address too.
            editor: Template of a link that opens a file in the editor, see `Overview`.
            frame_ancestors: Who may put the page into a frame, see `Settings`.
            against: A trace that the newest run of the folder is shown beside; empty for none.

        Raises:
            TraceError: If there is no trace.
            UsageError: If the port is taken, or there is no such host.
        """
        library = Library(Path(folder), editor, Path(against) if against else None)
        library.check()
        shown = library.compared() if against else None
        self._socket = _listen(address)
        port = self._socket.getsockname()[1]
        token = secrets.token_urlsafe(32)
        place = f"http://{_in_link(address.host or LOOPBACK)}:{port}/"
        self.link = f"{place}{token}/"
        if shown is not None:
            run, beside = map(quote, shown)
            self.link += f"#run={run}&view=diff&against={beside}"
        settings = Settings(
            hosts=None if address.host else local_hosts(port),
            token=token,
            frame_ancestors=frame_ancestors,
        )
        self._uvicorn = _Uvicorn(
            uvicorn.Config(
                make_app(library, settings),
                http=BoundedProtocol,
                log_level="error",
                access_log=False,
                server_header=False,
                date_header=False,
                ws="none",
                backlog=_BACKLOG,
                proxy_headers=False,
                lifespan="off",
                timeout_graceful_shutdown=2,
            )
        )

    def run(self) -> None:
        """Serves until `stop`, or until the process is told to end."""
        self._uvicorn.run(sockets=[self._socket])

    def stop(self) -> None:
        """Ends `run`, from another thread."""
        self._uvicorn.should_exit = True

    def close(self) -> None:
        """Gives back the port of a server that is not to run."""
        self._socket.close()


def _listen(address: Address) -> socket.socket:
    """A socket that listens, so that the port can't be taken by somebody else before the server runs."""
    host = address.host or LOOPBACK
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, address.port, type=socket.SOCK_STREAM)[0]
        with contextlib.ExitStack() as unless_it_works:
            listening = unless_it_works.enter_context(socket.socket(family, kind, protocol))
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(where)
            listening.listen()
            unless_it_works.pop_all()
    except OSError as error:
        raise UsageError(_trouble(host, address.port, error)) from None
    return listening


def _trouble(host: str, port: int, error: OSError) -> str:
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"--host {host}: is no address of this machine; give one that is, or 0.0.0.0 for all"
    if error.errno == errno.EADDRINUSE:
        return f"--port {port}: is taken by another program; choose another, or leave it out for one that is free"
    if error.errno == errno.EACCES:
        return f"--port {port}: is not allowed to you; choose one above 1023"
    return f"{host}:{port}: {error.strerror}; choose another --host or --port"


def _in_link(host: str) -> str:
    """A name that a browser can go to."""
    if host == "0.0.0.0":
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


class _Uvicorn(uvicorn.Server):
    """Lets go of those who wait for news before it ends, and says in one line what the system refuses."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`."""
        asyncio.get_running_loop().set_exception_handler(Shortages())
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`."""
        self.config.app.state.closing.set()  # type: ignore[union-attr]
        await super().shutdown(sockets)
