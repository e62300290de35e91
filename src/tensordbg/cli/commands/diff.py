"""`tdbg diff`: says where two runs part."""

from __future__ import annotations

import click

from tensordbg.cli.arguments import TraceChoice, json_option, process_option

_CODES = {"same": 0, "diverged": 1, "not_comparable": 2}


def _tolerance(context: click.Context, parameter: click.Parameter, value: str) -> float | None:
    """`auto` as None, or a positive number."""
    if value == "auto":
        return None
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 < number < 1:
        message = f"{value!r} is neither `auto` nor a number between 0 and 1, such as 1e-4"
        raise click.BadParameter(message, context, parameter)
    return number


@click.command("diff")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@json_option
@click.option("--step", type=click.IntRange(min=0), metavar="N", help="Compare only this step.")
@click.option(
    "--tolerance", default="auto", show_default=True, metavar="auto|X", callback=_tolerance,
    help="How far apart equal values may be, relative to their largest element.",
)  # fmt: skip
@process_option
def command(a: str, b: str, as_json: bool, step: int | None, tolerance: float | None, process: str | None) -> int:
    """Say where the numbers of two runs part first.

    A and B are traces, or folders of traces, whose newest runs are meant; A is the reference. The programs may be
    written in other frameworks. Ends with code 0 if the runs agree, 1 if they part, 2 if they can't be compared.
    """
    from tensordbg.cli.output import print_json, print_rich, reading

    with reading(TraceChoice(a, process)) as reference, reading(TraceChoice(b, process)) as other:
        from tensordbg.analysis.diff.compare import Asked, compare

        result = compare(reference, other, Asked(tolerance, step))
    if as_json:
        from tensordbg.wire.diff import diff_to_json

        print_json(diff_to_json(result))
    else:
        from tensordbg.report.diff_text import diff_text

        print_rich(diff_text(result))
    return _CODES[result.status]
