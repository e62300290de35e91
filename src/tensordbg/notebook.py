"""The browser's page in a notebook's cell: from a server in the background, with a saved copy for when it is gone."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.api import Run, Trace
    from tensordbg.server.serving import Server

HEIGHT = 800
"""Pixels; the page needs some room."""

_HIGHEST = 10_000

_FRAME_ANCESTORS = "http://localhost:* http://127.0.0.1:* vscode-webview: vscode-file:"
"""Notebooks whose browser is on this machine."""

_ELSEWHERE = (
    "BINDER_SERVICE_HOST",
    "CODESPACES",
    "COLAB_RELEASE_TAG",
    "DATABRICKS_RUNTIME_VERSION",
    "JUPYTERHUB_SERVICE_PREFIX",
    "KAGGLE_KERNEL_RUN_TYPE",
    "KUBERNETES_SERVICE_HOST",
    "SSH_CONNECTION",
)
"""Environment variables that are set where a notebook's kernel runs far from its browser."""

_CONTAINERS = (Path("/.dockerenv"), Path("/run/.containerenv"))
"""Files that are there inside of a container, whose ports the browser does not reach."""

_servers: dict[Path, Server] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class Shown:
    """The result of `show`: a notebook puts it into the cell."""

    link: str
    """Of the server; empty for a saved page."""
    html: str = field(repr=False)

    def _repr_html_(self) -> str:
        return self.html


def show(trace: Trace | Run | Path | str = "tdbg-traces", height: int = HEIGHT, saved: bool | None = None) -> Shown:
    """Puts the page of `tdbg view` into a notebook's cell, as its last line; elsewhere in a cell, `display` the result.

    A server in the background of this process answers, on this machine alone, as long as the process lives. The page of
    `tdbg report` is put into the notebook itself, and shown wherever the browser does not reach that server: when the
    process has ended, or the notebook was exported. Where the browser is on another machine, which is told by the
    environment, there is this copy alone.

    Args:
        trace: A trace or run that was opened, or the path of one; a folder of traces means the newest run.
        height: Of the cell, in pixels.
        saved: True for the saved page alone, False for the server alone; by default what fits the environment.

    Raises:
        TraceError: If there is no trace that can be read.
        UsageError: If the height is no number of pixels, or the page was not built.
    """
    if not 1 <= height <= _HIGHEST:
        raise UsageError(f"height={height!r} is no number of pixels from 1 to {_HIGHEST}; leave it out for {HEIGHT}")
    path = Path(trace) if isinstance(trace, str | Path) else trace.path
    if saved or (saved is None and _is_elsewhere(os.environ)):
        return Shown("", _saved(path, height))
    link = _server_of(path.resolve()).link
    if saved is False:
        return Shown(link, _frame(f'src="{escape(link)}"', height))
    return Shown(link, _with_copy(link, _saved(path, height), height))


def _is_elsewhere(environment: Mapping[str, str]) -> bool:
    return any(environment.get(name) for name in _ELSEWHERE) or any(file.exists() for file in _CONTAINERS)


def _saved(path: Path, height: int) -> str:
    from tensordbg.report.saved_page.page import saved_page
    from tensordbg.trace.folders.runs import find_run
    from tensordbg.wire.view.answers import RunAnswers

    page = saved_page(RunAnswers(find_run(path))).decode()
    # Without allow-same-origin the frame has nothing to do with the notebook around it.
    return _frame(f'sandbox="allow-scripts" loading="lazy" srcdoc="{escape(page)}"', height)


def _with_copy(link: str, copy: str, height: int) -> str:
    """The server's page; a browser that can't load it shows the copy instead, without any script."""
    size = f'width="100%" height="{height}"'
    return f'<object title="tensordbg" type="text/html" {size} data="{escape(link)}">{copy}</object>'


def _frame(source: str, height: int) -> str:
    return f'<iframe title="tensordbg" width="100%" height="{height}" frameborder="0" {source}></iframe>'


def _server_of(path: Path) -> Server:
    """The server of a folder; each folder has one, however often it is shown."""
    from tensordbg.server.serving import Address, Server

    with _lock:
        if path not in _servers:
            server = Server(path, Address(), frame_ancestors=_FRAME_ANCESTORS)
            threading.Thread(target=server.run, name="tensordbg-page", daemon=True).start()
            _servers[path] = server
        return _servers[path]
