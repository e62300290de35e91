"""`tdbg captures`: lists the captures there are."""

from __future__ import annotations

from pathlib import Path

import click

from tensordbg.cli.arguments import json_option
from tensordbg.cli.commands.trap import DEFAULT_CAPTURES


@click.command("captures")
@click.argument("folder", type=click.Path(path_type=Path), default=DEFAULT_CAPTURES)
@json_option
def command(folder: Path, as_json: bool) -> None:
    """List the captures in FOLDER, the newest last; by default those in captures."""
    from tensordbg.capture.reader import list_captures, open_capture
    from tensordbg.cli.output import print_json, print_note, print_rich

    captures = [open_capture(path) for path in list_captures(folder)]
    if as_json:
        from tensordbg.wire.captures import captures_to_json

        print_json(captures_to_json(captures))
    elif not captures:
        print_note(f"{folder} holds no capture; `tdbg trap` makes them")
    else:
        from tensordbg.report.captures import captures_table

        print_rich(captures_table(captures))
