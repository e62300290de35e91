"""`tdbg capture show`: tells what a capture holds, and writes its weights."""

from __future__ import annotations

from pathlib import Path

import click

from tensordbg.cli.arguments import json_option


@click.group("capture")
def command() -> None:
    """Look into a capture."""


@command.command("show")
@click.argument("capture", type=click.Path(path_type=Path))
@click.option(
    "--export-weights",
    "weights",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the variables as they were before the step into FILE, .safetensors or .npz, for the program to go on.",
)
@json_option
def show(capture: Path, weights: Path | None, as_json: bool) -> None:
    """Tell what the folder CAPTURE holds."""
    from tensordbg.capture.reader import open_capture
    from tensordbg.cli.output import print_json, print_rich, print_text

    opened = open_capture(capture)
    if weights is not None:
        from tensordbg.capture.weights import export_weights

        print_text(f"{weights}  {len(export_weights(opened, weights))} variables\n")
    elif as_json:
        from tensordbg.wire.captures import capture_to_json

        print_json(capture_to_json(opened))
    else:
        from tensordbg.report.replays.captures import capture_text

        print_rich(capture_text(opened))
