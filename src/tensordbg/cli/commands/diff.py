"""`tdbg diff`: says where two runs part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from tensordbg.cli.arguments import DEFAULT_FOLDER, Form, TraceChoice, forms_of_listing, process_option
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.analysis.diff.compare import Asked
    from tensordbg.analysis.diff.result import Comparison
    from tensordbg.cli.running.comparing import RecordedProgram
    from tensordbg.trace.reader import TraceReader

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


def _named(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Pairs of names, of `A=B`; the first `=` divides."""
    pairs = tuple(value.partition("=") for value in values)
    for value, (a, _, b) in zip(values, pairs, strict=True):
        if not a or not b:
            message = f"{value!r} is no pair of names such as encoder.0=block1"
            raise click.BadParameter(message, context, parameter)
    return tuple((a, b) for a, _, b in pairs)


@dataclass(frozen=True)
class _Answer:
    """A comparison and the code that the command ends with."""

    comparison: Comparison
    code: int
    traces: tuple[str, ...] = ()


@click.command("diff")
@click.argument("words", nargs=-1, metavar="A B")
@forms_of_listing
@click.option("--step", type=click.IntRange(min=0), metavar="N", help="Compare only this step.")
@click.option(
    "--tolerance", default="auto", show_default=True, metavar="auto|X", callback=_tolerance,
    help="How far apart equal values may be, relative to their largest element.",
)  # fmt: skip
@click.option(
    "--noise", metavar="TWIN",
    help="Find the tolerance out by this trace of A's program, run in float64 or perturbed in the last place.",
)  # fmt: skip
@click.option(
    "--map", "named", metavar="A=B", multiple=True, callback=_named,
    help="Layer, parameter or tensor A of A is called B in B. May be given several times.",
)  # fmt: skip
@click.option(
    "--run", "program", metavar="'REF.py ARGS'",
    help="Record this program and the one behind `--`, with its arguments, and compare them.",
)  # fmt: skip
@click.option(
    "--against", metavar="FILE",
    help="The reference is this file, which `tdbg export --summary` has written; TRACE alone is named besides.",
)  # fmt: skip
@click.option("--out", metavar="DIR", help="With --run: the folder of both traces; by default a temporary one.")
@click.option("--view", is_flag=True, help="Show both runs side by side in the browser then, until Ctrl-C.")
@process_option
def command(words: tuple[str, ...], form: Form, out: str | None, view: bool, **chosen: Any) -> int:
    """Say where the numbers of two runs part first.

    A and B are traces, or folders of traces, whose newest runs are meant; A is the reference. The programs may be
    written in other frameworks. With --run two programs are recorded first: tdbg diff --run REF.py -- PORT.py.

    Ends with code 0 if the runs agree, 1 if they part, 2 if they can't be compared.
    """
    from tensordbg.analysis.diff.compare import Asked

    process, noise = chosen.pop("process"), chosen.pop("noise")
    source = _Source(chosen.pop("program"), chosen.pop("against"), out)
    if view and (form is not Form.TABLE or source.against is not None):
        raise UsageError("--view shows two traces in the browser; leave --json, --csv and --against out, or --view")
    if noise is not None and chosen["tolerance"] is not None:
        raise UsageError(f"--noise {noise} finds the tolerance out, and --tolerance gives it; leave one of them out")
    with _twin(noise) as twin:
        answer = _answered(words, source, process, Asked(noise=twin, **chosen))
    _print(answer.comparison, form)
    if view:
        _show(*answer.traces)
    return answer.code


def _print(comparison: Comparison, form: Form) -> None:
    from tensordbg.cli.output import print_csv, print_json, print_rich

    if form is Form.JSON:
        from tensordbg.wire.diff import diff_to_json

        print_json(diff_to_json(comparison))
    elif form is Form.CSV:
        from tensordbg.wire.csv_tables import diff_to_csv

        print_csv(diff_to_csv(comparison))
    else:
        from tensordbg.report.diff_text import diff_text

        print_rich(diff_text(comparison))


@dataclass(frozen=True)
class _Source:
    """Where the runs come from, as the options say."""

    program: str | None
    against: str | None
    out: str | None


@contextmanager
def _twin(noise: str | None) -> Iterator[TraceReader | None]:
    from tensordbg.cli.output import reading

    if noise is None:
        yield None
        return
    with reading(TraceChoice(noise, None)) as twin:
        yield twin


def _answered(words: tuple[str, ...], source: _Source, process: str | None, asked: Asked) -> _Answer:
    program, against, out = source.program, source.against, source.out
    if program is None and out is not None:
        raise UsageError(f"--out {out} is for the traces that --run makes; name two traces, or give --run too")
    if against is not None:
        if program is not None or len(words) > 1:
            raise UsageError(f"--against {against} is the reference, and one run is compared with it; name that alone")
        return _against(against, TraceChoice(words[0] if words else DEFAULT_FOLDER, process), asked)
    if program is None:
        return replace(_of_traces(words, process, asked), traces=words)
    recorded = _recorded((program, *words), out)
    return replace(_of_programs(recorded, process, asked), traces=tuple(str(each.folder) for each in recorded))


def _show(a: str, b: str) -> None:
    from tensordbg.cli.running.serving import serve
    from tensordbg.server.serving import Address, Server

    serve(b, lambda: Server(b, Address(), against=a), browser=True)


def _of_traces(words: tuple[str, ...], process: str | None, asked: Asked) -> _Answer:
    if len(words) != 2:
        problem = f"unexpected argument {words[2]!r} after" if len(words) > 2 else "missing argument"
        raise click.UsageError(f"{problem} {'B' if words else 'A'}", click.get_current_context())
    with _both(TraceChoice(words[0], process), TraceChoice(words[1], process)) as traces:
        result = _compared(*traces, asked)
    return _Answer(result, _CODES[result.status])


def _against(file: str, choice: TraceChoice, asked: Asked) -> _Answer:
    """Compares a run with the summary of another, up to the last step of that."""
    import tempfile
    from pathlib import Path

    from tensordbg.analysis.diff.compare import compare
    from tensordbg.cli.output import reading
    from tensordbg.trace.reader import open_trace
    from tensordbg.trace.summary import make_trace, read_summary

    summary = read_summary(Path(file))
    with tempfile.TemporaryDirectory(prefix="tdbg-summary-") as folder, reading(choice) as other:
        make_trace(summary, Path(folder))
        result = compare(open_trace(folder), other, replace(asked, last=summary.last))
    return _Answer(result, _CODES[result.status])


def _recorded(words: tuple[str, ...], out: str | None) -> tuple[RecordedProgram, ...]:
    from tensordbg.cli.running.comparing import program_of, record_both, split_words

    return record_both(program_of(split_words(words[0])), program_of(list(words[1:])), out)


def _of_programs(recorded: tuple[RecordedProgram, ...], process: str | None, asked: Asked) -> _Answer:
    """Compares two programs; if one of them failed, the comparison says so, and does not count as a success."""
    from tensordbg.analysis.diff.lengths import error_at_end

    a, b = (TraceChoice(str(each.folder), process) for each in recorded)
    with _both(a, b) as traces:
        result = _compared(*traces, asked)
        untold = [each.failure for each, trace in zip(recorded, traces, strict=True) if not error_at_end(trace.facts)]
    notes = tuple(f"{failure}: compared is what it computed before" for failure in untold if failure)
    failed = any(each.failure for each in recorded)
    code = 2 if failed and result.status == "same" else _CODES[result.status]
    return _Answer(replace(result, notes=(*result.notes, *notes)), code)


@contextmanager
def _both(a: TraceChoice, b: TraceChoice) -> Iterator[tuple[TraceReader, TraceReader]]:
    from tensordbg.cli.output import reading

    with reading(a) as reference, reading(b) as other:
        yield reference, other


def _compared(a: TraceReader, b: TraceReader, asked: Asked) -> Comparison:
    from tensordbg.analysis.diff.compare import compare

    return compare(a, b, asked)
