"""`tdbg mcp`: answers a client of the Model Context Protocol from traces."""

from __future__ import annotations

import importlib.util

import click

from tensordbg.cli.arguments import DEFAULT_FOLDER, complete_folder
from tensordbg.errors import UsageError


@click.command("mcp")
@click.argument("trace", default=DEFAULT_FOLDER, metavar="[TRACE]", shell_complete=complete_folder)
def command(trace: str) -> None:
    """Serve traces to an assistant or editor by the Model Context Protocol, over standard streams.

    TRACE is a trace, or a folder of traces, which may be recorded later; by default tdbg-traces. It is only read.
    """
    if importlib.util.find_spec("mcp") is None:
        raise UsageError("tdbg mcp needs the package mcp, which is not installed; `pip install 'tensordbg[mcp]'`")
    from tensordbg.mcp.server import serve

    serve(trace)
