"""`tdbg view`: shows a trace in the browser."""

from __future__ import annotations

import re

import click

from tensordbg.cli.arguments import DEFAULT_FOLDER


def editor_template(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """A link with {file} in it, that leads to a program and is not itself one."""
    scheme = re.match(r"([a-z][a-z0-9+.-]*):", value)
    if value and ("{file}" not in value or not scheme or scheme[1] in {"javascript", "data", "vbscript"}):
        message = f"{value!r} is no link with {{file}} in it, such as 'vscode://file/{{file}}:{{line}}'"
        raise click.BadParameter(message, context, parameter)
    return value


@click.command("view")
@click.argument("trace", default=DEFAULT_FOLDER, metavar="[TRACE]")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port to listen on; by default a free one.")
@click.option("--host", default="", help="Let other machines in, at this name or address; the link then holds a token.")
@click.option("--no-browser", is_flag=True, help="Only print the link.")
@click.option(
    "--editor",
    metavar="TEMPLATE",
    default="",
    envvar="TENSORDBG_EDITOR",
    callback=editor_template,
    help="What opens a source line in your editor, such as vscode://file/{file}:{line}.",
)
@click.option("--against", default="", metavar="A", help="Show the run beside this one, which is the reference.")
def command(trace: str, port: int, host: str, no_browser: bool, editor: str, against: str) -> None:
    """Show a trace in the browser, until Ctrl-C.

    TRACE is a trace, or a folder with traces at any depth, of which the newest is shown first; by default tdbg-traces.
    """
    from tensordbg.cli.running.serving import serve
    from tensordbg.server.serving import Address, Server

    serve(trace, lambda: Server(trace, Address(host, port), editor, against=against), browser=not no_browser)
