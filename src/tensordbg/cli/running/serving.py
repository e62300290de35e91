"""Serves the page of a trace until Ctrl-C, and opens it in the browser."""

from __future__ import annotations

import contextlib
import threading
import webbrowser
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from tensordbg.cli.output import print_note
from tensordbg.server.page import missing

if TYPE_CHECKING:
    from tensordbg.server.serving import Server


def serve(trace: str, make: Callable[[], Server], *, browser: bool) -> None:
    """Says where the page of a trace is and answers there; `make` takes the port."""
    print_note(missing())
    with contextlib.suppress(KeyboardInterrupt):
        server = make()
        click.echo(f"{trace}: {server.link} (Ctrl-C ends this)")
        if browser:
            # A browser in the terminal returns only when it is left.
            threading.Thread(target=webbrowser.open, args=(server.link,), daemon=True).start()
        server.run()
