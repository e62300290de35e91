"""`tdbg watch`: tells when something goes wrong in a training that runs."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tensordbg.cli.arguments import DEFAULT_FOLDER, complete_folder
from tensordbg.cli.quantities import seconds_of
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.watching.looking import Look
    from tensordbg.watching.metrics import MetricsServer


@dataclass(frozen=True)
class _Asked:
    """The options."""

    on_finding: str
    webhook: str
    report: str
    report_url: str
    metrics: tuple[str, int] | None
    every: float
    on: bool


def webhook_url(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """An address that news can be sent to, and no file."""
    if value and not re.match(r"https?://[^/]", value):
        message = f"{value!r} is no address of a server, such as https://hooks.example.com/T0/B0"
        raise click.BadParameter(message, context, parameter)
    return value


def metrics_address(context: click.Context, parameter: click.Parameter, value: str) -> tuple[str, int] | None:
    """`PORT` or `HOST:PORT`; a port alone listens to this machine only."""
    if not value:
        return None
    host, _, port = value.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise click.BadParameter(f"{value!r} is no port such as 9464, or 0.0.0.0:9464", context, parameter)
    return host.strip("[]") or "127.0.0.1", int(port)


@click.command("watch")
@click.argument("trace", default=DEFAULT_FOLDER, metavar="[TRACE]", shell_complete=complete_folder)
@click.option("--on-finding", metavar="CMD", default="", help="Run this line of the shell for each; JSON on its input.")
@click.option("--webhook", metavar="URL", default="", callback=webhook_url, help="Send each as JSON by POST.")
@click.option("--report", metavar="DIR", default="", help="Write the report as a page into this folder, and link it.")
@click.option("--report-url", metavar="URL", default="", help="Where others find that folder.")
@click.option("--metrics", metavar="[HOST:]PORT", default="", callback=metrics_address, help="Answer Prometheus there.")
@click.option("--every", metavar="TIME", default="10s", callback=seconds_of, help="Between two looks; 10s by default.")
@click.option("--on", is_flag=True, help="Go on with the next run when one has ended.")
def command(trace: str, **options: Any) -> None:
    """Tell when a finding or a warning comes up in a training that runs, each once, until the run has ended.

    TRACE is a trace, or a folder of traces, whose newest run is meant, now or later; by default tdbg-traces.
    """
    from tensordbg.controls import escaped
    from tensordbg.watching.looking import Looking
    from tensordbg.watching.telling import by_command, by_webhook
    from tensordbg.watching.watcher import Faces, Watcher

    asked = _Asked(**options)
    if asked.report_url and not asked.report:
        raise UsageError("--report-url says where others find the folder of --report; give that, too")
    server = _server(asked.metrics)
    commands = [by_command(asked.on_finding)] if asked.on_finding else []
    hooks = [by_webhook(asked.webhook)] if asked.webhook else []
    faces = Faces(
        lambda line: click.echo(escaped(line)),
        [*commands, *hooks],
        _reporting(asked.report, asked.report_url),
        (lambda _: None) if server is None else server.show,
    )
    with contextlib.suppress(KeyboardInterrupt):
        Watcher(Looking(Path(trace)), faces).watch(asked.every, on=asked.on)
    if server is not None:
        server.close()


def _server(address: tuple[str, int] | None) -> MetricsServer | None:
    if address is None:
        return None
    from tensordbg.cli.output import print_note
    from tensordbg.watching.metrics import MetricsServer

    host, port = address
    try:
        server = MetricsServer(host, port)
    except OSError as error:
        raise UsageError(f"--metrics {host}:{port}: {error.strerror or error}; choose another address") from None
    print_note(f"metrics: http://{host}:{server.port}/metrics")
    return server


def _reporting(folder: str, url: str) -> Callable[[Look], str]:
    """How a report is written, and where it is found."""

    def write(look: Look) -> str:
        command = f"tdbg why {shlex.quote(str(look.run.lasting_path))}"
        if not folder:
            return command
        from tensordbg.cli.output import print_note
        from tensordbg.report.saved_page.page import saved_page
        from tensordbg.wire.view.answers import RunAnswers

        path = Path(folder) / f"{look.run.processes[0].folder.name}.html"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_suffix(".draft")
            draft.write_bytes(saved_page(RunAnswers(look.run)))
            draft.replace(path)
        except Exception as error:  # noqa: BLE001  the news are told without it
            print_note(f"--report {folder}: {error}")
            return command
        return f"{url.rstrip('/')}/{path.name}" if url else path.absolute().as_uri()

    return write
