"""`tdbg layers`: lists the layers of a model and what they put out."""

from __future__ import annotations

import click

from tensordbg.cli.arguments import Form, TraceChoice, forms_of_listing, trace_argument


@click.command("layers")
@trace_argument
@click.option("--name", default="", help="Only layers whose path holds this text.")
@click.option("--inner", is_flag=True, help="Also list the tensors that each layer computed inside.")
@forms_of_listing
def command(trace: TraceChoice, name: str, inner: bool, form: Form) -> None:
    """List the Keras layers and PyTorch modules of a program, with how the outputs of each looked last.

    TRACE is a trace, or a folder of traces, whose newest is meant; by default tdbg-traces.
    """
    from tensordbg.cli.output import print_csv, print_json, print_note, print_rich, reading

    with reading(trace) as reader:
        from tensordbg.analysis.graphs.layers import list_layers

        layers = [layer for layer in list_layers(reader) if name in layer.path]
    if form is Form.JSON:
        from tensordbg.wire.layers import layers_to_json

        print_json(layers_to_json(layers))
    elif form is Form.CSV:
        from tensordbg.wire.csv_tables import layers_to_csv

        print_csv(layers_to_csv(layers, layers if inner else ()))
    elif not layers:
        print_note("no layer fits" if name else "no layer was recorded")
    else:
        from tensordbg.report.graphs.layers import layers_table

        print_rich(layers_table(layers, layers if inner else ()))
