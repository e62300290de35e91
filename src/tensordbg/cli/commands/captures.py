"""`tdbg captures`: lists the captures there are."""

from __future__ import annotations

from pathlib import Path

import click

from tensordbg.cli.arguments import Form, forms_of_listing
from tensordbg.cli.commands.trap import DEFAULT_CAPTURES


@click.command("captures")
@click.argument("folder", type=click.Path(path_type=Path), default=DEFAULT_CAPTURES)
@forms_of_listing
def command(folder: Path, form: Form) -> None:
    """List the captures in FOLDER, the newest last; by default those in captures."""
    from tensordbg.capture.reader import list_captures, open_capture
    from tensordbg.cli.output import print_csv, print_json, print_note, print_rich

    captures = [open_capture(path) for path in list_captures(folder)]
    if form is Form.JSON:
        from tensordbg.wire.captures import captures_to_json

        print_json(captures_to_json(captures))
    elif form is Form.CSV:
        from tensordbg.wire.csv_tables import captures_to_csv

        print_csv(captures_to_csv(captures))
    elif not captures:
        print_note(f"{folder} holds no capture; `tdbg trap` makes them")
    else:
        from tensordbg.report.replays.captures import captures_table

        print_rich(captures_table(captures))
