"""`tdbg show`: the history of one tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tensordbg.cli.arguments import Form, Steps, TraceChoice, forms_of_listing, steps_of, trace_and
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.analysis.tensors.show import TensorHistory
    from tensordbg.trace.reader import TraceReader


@click.command("show")
@trace_and("NAME[:SLOT]")
@click.option("--layer", default="", metavar="LAYER", help="Only what this layer computes: its path, or the end of it.")
@click.option("--function", default="", metavar="NAME", help="Only in functions of this name or pattern.")
@click.option(
    "--step", "steps", metavar="N|A..B", default="", callback=steps_of, help="Only this step, or these steps."
)
@click.option("--iteration", type=click.IntRange(min=0), metavar="N", help="Only this iteration of a loop.")
@click.option("--limit", type=click.IntRange(min=0), default=50, show_default=True, help="At most so many; 0 for all.")
@click.option("--values", "as_values", is_flag=True, help="Print the elements, where they were kept.")
@click.option("--slice", "part", default="", metavar="SLICE", help="... only these, such as '[0, :, ::2]'.")
@click.option("--range", "ranges", multiple=True, metavar="RANGE", help="... highlight these, such as '[-inf, 0]'.")
@click.option("--precision", type=click.IntRange(0, 100), metavar="N", help="... with so many digits.")
@click.option("--all", "everything", is_flag=True, help="... also those in the middle of a large tensor.")
@click.option("--write", metavar="FILE.npy", help="... into a file of NumPy instead.")
@forms_of_listing
def command(trace_and_rest: tuple[TraceChoice, str], as_values: bool, form: Form, layer: str, **options: Any) -> None:
    """Show one tensor over the steps and iterations.

    NAME is the name of an operation, or the end of it, SLOT which of its outputs, 0 by default; or a name of the
    program's text, such as the `n` of a loop; or that of a variable or a layer. TRACE is a trace, or a folder of
    traces, whose newest run is meant, with all its processes; by default tdbg-traces.
    """
    chosen = {name: options.pop(name) for name in ("part", "ranges", "write", "precision", "everything")}
    _check(as_values, form, chosen)
    trace, tensor = trace_and_rest
    tensor = f"{layer}/{tensor}" if layer else tensor
    if as_values:
        _show_values(trace, tensor, chosen, options)
    else:
        _show(trace, tensor, form, options)


def _show(trace: TraceChoice, tensor: str, form: Form, options: dict[str, Any]) -> None:
    """The history in each process."""
    from tensordbg.analysis.tensors.show import histories_of
    from tensordbg.cli.output import print_csv, print_json, print_note, print_rich, reading_run

    with reading_run(trace) as processes:
        histories = histories_of(processes, lambda reader: _history(reader, tensor, **options))
    if form is Form.JSON:
        from tensordbg.wire.show import histories_to_json

        print_json(histories_to_json(histories))
    elif form is Form.CSV:
        from tensordbg.report.show import cut_text
        from tensordbg.wire.csv_tables import histories_to_csv

        print_csv(histories_to_csv(histories))
        print_note(cut_text(histories))
    else:
        from tensordbg.report.show import histories_text

        print_rich(histories_text(histories))


def _show_values(trace: TraceChoice, tensor: str, chosen: dict[str, Any], options: dict[str, Any]) -> None:
    """The elements in one process."""
    from tensordbg.cli.output import print_rich, reading
    from tensordbg.cli.show_values import ValuesWanted, show_values

    with reading(trace) as reader:
        # Of the elements so many are shown of the events that have them.
        limit = options.pop("limit")
        history = _history(reader, tensor, limit=0, **options)
        values = show_values(reader, history, ValuesWanted(**chosen, limit=limit))
    print_rich(*values)


def _check(as_values: bool, form: Form, chosen: dict[str, Any]) -> None:
    """Options that do not go together."""
    names = {"part": "slice", "ranges": "range", "everything": "all"}
    for name, value in chosen.items():
        if not as_values and (value or value == 0) and value is not False:
            raise UsageError(f"--{names.get(name, name)} is for --values; give that too")
    if as_values and form is not Form.TABLE:
        option, name = f"--{form.value}", form.value.upper()
        raise UsageError(
            f"elements are not printed as {name}; leave {option} out, or write a file with --write FILE.npy"
        )


def _history(
    reader: TraceReader, tensor: str, function: str, steps: Steps, iteration: int | None, limit: int
) -> TensorHistory:
    """The events that are shown."""
    from tensordbg.analysis.tensors.elements import narrowed, shortened
    from tensordbg.analysis.tensors.show import history_of

    if steps == (None, None) and iteration is None:
        return history_of(reader, tensor, function, limit)
    return shortened(narrowed(history_of(reader, tensor, function), steps, iteration), limit)
