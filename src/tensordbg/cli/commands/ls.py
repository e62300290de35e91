"""`tdbg ls`: lists tensor events."""

from __future__ import annotations

from typing import Any

import click

from tensordbg.cli.arguments import Form, TraceChoice, forms_of_listing, steps_of, trace_argument

SORT_KEYS = ("event", "step", "name", "op-type", "size", "min", "max", "mean", "std", "zero", "non-finite")
"""As in `analysis.listing`, which is not imported just for the help."""


@click.command("ls")
@trace_argument
@click.option("--non-finite", is_flag=True, help="Only tensors with an infinity or a NaN.")
@click.option("--op-type", "op_types", metavar="TYPE", multiple=True, help="Only outputs of this type of operation.")
@click.option(
    "--name", default="", help="Only tensors of a name that holds this text, or fits this pattern (*/kernel*)."
)
@click.option("--layer", default="", metavar="NAME", help="Only what this layer computes: its path, or the end of it.")
@click.option("--function", default="", metavar="NAME", help="Only tensors of functions of this name or pattern.")
@click.option("--file", default="", help="Only operations that this source file created.")
@click.option("--device", default="", help="Only tensors computed on a device whose name holds this text (GPU:0).")
@click.option(
    "--step", "steps", metavar="N|A..B", default="", callback=steps_of, help="Only this step, or these steps."
)
@click.option(
    "--sort",
    type=click.Choice(SORT_KEYS),
    default="event",
    show_default=True,
    metavar="COLUMN",
    help=f"Order by one of {', '.join(SORT_KEYS)}.",
)
@click.option("--reverse", is_flag=True, help="The other way round.")
@click.option("--limit", type=click.IntRange(min=0), default=50, show_default=True, help="At most so many; 0 for all.")
@forms_of_listing
def command(trace: TraceChoice, sort: str, reverse: bool, limit: int, form: Form, **selection: Any) -> None:
    """List the tensors of a trace.

    TRACE is a trace, or a folder of traces, whose newest run is meant, with all its processes; by default tdbg-traces.
    """
    from tensordbg.cli.output import print_csv, print_json, print_note, print_rich, reading_run
    from tensordbg.report.listing import listing_footer

    with reading_run(trace) as processes:
        from tensordbg.analysis.names.listing import Order, Selection
        from tensordbg.analysis.tensors.named_listing import list_named

        layer = selection.pop("layer")
        found = list_named(processes, Selection(**selection), layer, Order(sort, reverse, limit))
    if form is Form.JSON:
        from tensordbg.wire.listing import listing_to_json

        print_json(listing_to_json(found.listing))
    elif form is Form.CSV:
        from tensordbg.wire.csv_tables import listing_to_csv

        print_csv(listing_to_csv(found.listing))
        print_note(listing_footer(found.listing, found.near))
    else:
        from tensordbg.report.listing import listing_table

        print_rich(listing_table(found.listing))
        print_note(listing_footer(found.listing, found.near))
