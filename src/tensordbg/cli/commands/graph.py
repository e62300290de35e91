"""`tdbg graph`: the graph of a function, as Python built it and as TensorFlow runs it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tensordbg.cli.arguments import Form, TraceChoice, forms_of_listing, trace_and
from tensordbg.errors import UsageError
from tensordbg.trace.graphs.graph_files import GraphStage

if TYPE_CHECKING:
    from tensordbg.trace.reader import TraceReader


def _depth(context: click.Context, parameter: click.Parameter, value: str) -> int | None:
    if value == "all":
        return None
    if value.isdecimal():
        return int(value)
    message = f"{value!r} is neither a number of levels nor 'all'"
    raise click.BadParameter(message, context, parameter)


@click.command("graph")
@trace_and("FUNCTION|NAME")
@click.option(
    "--as",
    "stage",
    type=click.Choice([stage.value for stage in GraphStage]),
    default=GraphStage.BUILT.value,
    show_default=True,
    help="As Python built it, as TensorFlow runs it without recording, or as it was recorded.",
)
@click.option("--depth", default="1", show_default=True, metavar="N|all", callback=_depth, help="Open so many calls.")
@click.option("--around", default="", metavar="NAME", help="Only operations near this one.")
@click.option("--hops", type=click.IntRange(min=0), default=2, show_default=True, metavar="N", help="... so near.")
@click.option(
    "--export", "target", metavar="FILE|DIR", help="Write it for TensorBoard instead: .pb, .pbtxt or a folder."
)
@forms_of_listing
def command(
    trace_and_rest: tuple[TraceChoice, str], stage: str, target: str | None, form: Form, **options: Any
) -> None:
    """Show the graph of FUNCTION, or what is around NAME in it: operations, what they take, who created them.

    FUNCTION is the name of a traced function, or its number; of several that which ran most often is shown. NAME is
    any that `tdbg show` takes: of an operation, of a layer, or one of the program's text. TRACE is a trace, or a folder
    of traces, whose newest is meant; by default tdbg-traces. Graphs as TensorFlow runs them are there if the program
    was recorded with --graphs.
    """
    from tensordbg.cli.output import reading

    wanted = GraphStage(stage)
    if wanted is not GraphStage.BUILT and options["around"]:
        raise UsageError("--around is for the graph as built; leave --as out")
    if target is not None and form is not Form.TABLE:
        raise UsageError(f"--export writes a file and prints no {form.name}; leave one of the two out")
    trace, function = trace_and_rest
    with reading(trace) as reader:
        if target is not None:
            _export(reader, function, wanted, Path(target))
        elif wanted is GraphStage.BUILT:
            _show_built(reader, function, form, options)
        else:
            _show_run(reader, function, wanted, form)


def _show_built(reader: TraceReader, function: str, form: Form, options: dict[str, Any]) -> None:
    from tensordbg.analysis.graphs.function_graph import Section, function_graph
    from tensordbg.analysis.names.graph_choice import choose_part
    from tensordbg.cli.output import print_csv, print_json, print_rich

    part = choose_part(reader, function)
    options["around"] = options["around"] or part.around
    graph = function_graph(reader, part.function, Section(**options))
    if form is Form.JSON:
        from tensordbg.wire.graph import function_graph_to_json

        print_json(function_graph_to_json(graph))
    elif form is Form.CSV:
        from tensordbg.wire.csv_tables import graph_to_csv

        print_csv(graph_to_csv(graph))
    else:
        from tensordbg.report.graphs.graph import graph_text

        print_rich(graph_text(graph))


def _show_run(reader: TraceReader, function: str, stage: GraphStage, form: Form) -> None:
    from tensordbg.analysis.graphs.as_run import run_graph
    from tensordbg.cli.output import print_csv, print_json, print_rich

    graph = run_graph(reader, function, stage)
    if form is Form.JSON:
        from tensordbg.wire.graph import run_graph_to_json

        print_json(run_graph_to_json(graph))
    elif form is Form.CSV:
        from tensordbg.wire.csv_tables import run_graph_to_csv

        print_csv(run_graph_to_csv(graph))
    else:
        from tensordbg.report.graphs.run_graph import run_graph_text

        print_rich(run_graph_text(graph))


def _export(reader: TraceReader, function: str, stage: GraphStage, target: Path) -> None:
    from tensordbg.cli.output import print_note, print_text
    from tensordbg.wire.graph_export import write_graph
    from tensordbg.wire.graphdef import export_graph

    written = write_graph(export_graph(reader, function, stage), target)
    print_text(f"{written.path}\n")
    if not written.whole:
        print_note(
            "tdbg: the trace holds only some of the operations' attributes: this graph can be looked at, not imported; "
            "record with --graphs to have it whole"
        )
