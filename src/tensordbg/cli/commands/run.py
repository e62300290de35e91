"""`tdbg run`: records a program, as it would run without us, and says what came of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tensordbg.cli.arguments import DEFAULT_FOLDER, complete_file, steps_of
from tensordbg.errors import UsageError
from tensordbg.model import Detail

if TYPE_CHECKING:
    from tensordbg.cli.running.program import Program
    from tensordbg.recording.plan import Plan


@click.command(
    "run",
    context_settings={"allow_interspersed_args": False},
    options_metavar="[--out DIR | --trace DIR [--force]] [--detail ops|shapes|health|values] [--last N] "
    "[--every N | --overhead SHARE] [--graphs] [--sketch] [--check] [--pdb FILE:LINE]",
)
@click.option(
    "--out",
    metavar="DIR",
    default=DEFAULT_FOLDER,
    show_default=True,
    help="The folder in which a new trace is made, or an address such as s3://bucket/run.",
)
@click.option("--trace", metavar="DIR", help="The trace itself, instead of a new one in the folder of traces.")
@click.option("--force", is_flag=True, help="Replace the trace that lies in the folder of --trace.")
@click.option(
    "--detail",
    type=click.Choice([detail.value for detail in Detail]),
    default=Detail.HEALTH.value,
    show_default=True,
    help="How much is recorded of each tensor: that it was computed, its shape too, its statistics too, its elements "
    "too.",
)
@click.option(
    "--last",
    type=click.IntRange(1, 2**40),
    metavar="N",
    help="Keep only the last N executions and the last N tensors of functions; all by default.",
)
@click.option(
    "--every",
    type=click.IntRange(1, 2**40),
    metavar="N",
    help="Record one step in N of each function and of each eager operation; each step by default.",
)
@click.option(
    "--overhead",
    metavar="SHARE",
    help="Record so many steps that it costs no more than this share of the program's time, such as 2%.",
)
@click.option("--graphs", is_flag=True, help="Keep the graphs of functions too, for `tdbg graph`.")
@click.option("--sketch", is_flag=True, help="Measure the order of elements too, for `tdbg diff`.")
@click.option("--check", is_flag=True, help="Record nothing; end the program at the first number that is not finite.")
@click.option("--values-of", "name", metavar="REGEX", help="Keep elements only of operations whose name holds this.")
@click.option("--values-op-type", "op_types", metavar="TYPE", multiple=True, help="... only of this type of operation.")
@click.option("--values-function", "function", metavar="NAME", help="... only in functions of this name or pattern.")
@click.option("--values-file", "file", metavar="FILE", help="... only of operations that this source file created.")
@click.option(
    "--values-steps", "steps", metavar="N|A..B", default="", callback=steps_of, help="... only in these steps."
)
@click.option("--values-budget", "budget", metavar="SIZE", help="... only so many bytes, such as 500M; 2G by default.")
@click.option(
    "--pdb",
    "stops",
    metavar="FILE:LINE",
    multiple=True,
    help="Record nothing; stop in Python's debugger at this line, with tensors in hand. May end in ` if EXPRESSION`.",
)
@click.option(
    "--dap", type=click.IntRange(1, 65535), metavar="PORT", help="With --pdb: in an editor that attaches here instead."
)
@click.option("-m", "as_module", is_flag=True, help="SCRIPT is the name of a module, as for `python -m`.")
@click.argument("script", shell_complete=complete_file)
@click.argument("arguments", nargs=-1, metavar="[ARGS]...", type=click.UNPROCESSED)
def command(out: str, detail: str, as_module: bool, script: str, arguments: tuple[str, ...], **chosen: Any) -> int:
    """Record the Python program SCRIPT, run with ARGS.

    Nothing in the program is changed: it has its own arguments, output, exit code and signals. Each run makes a new
    trace in the folder of traces. When the program ends, a summary is printed on standard error, and the report of
    `tdbg why` if a number was not finite.
    """
    from tensordbg.cli.running.program import Program
    from tensordbg.cli.running.supervise import check, record, record_instead, record_into, record_to_storage
    from tensordbg.remote.addresses import address_of

    program = Program.module(script, arguments) if as_module else Program.script(script, arguments)
    stops, port = chosen.pop("stops"), chosen.pop("dap")
    if stops or port:
        return _stopped(program, stops, port)
    if chosen.pop("check"):
        _refuse_beside("--check", {"check"})
        return check(program)
    much = {"last": chosen.pop("last") or 0, "every": chosen.pop("every") or 1, "graphs": chosen.pop("graphs")}
    much["sketch"] = chosen.pop("sketch")
    much["overhead"] = _share(chosen.pop("overhead"))
    trace, force = chosen.pop("trace"), chosen.pop("force")
    plan = replace(_plan(Detail(detail), chosen), **much)
    if trace is None and not force:
        address = address_of(out)
        return record(program, Path(out), plan) if address is None else record_to_storage(program, address, plan)
    if trace is None:
        raise UsageError("--force replaces the trace that --trace names, but there is no --trace; name it")
    if click.get_current_context().get_parameter_source("out") is click.core.ParameterSource.COMMANDLINE:
        raise UsageError("--out is for a new trace in a folder, --trace for the trace itself; give one of them")
    if address_of(trace) is not None:
        raise UsageError(
            f"--trace {trace} is no folder of this machine; give object storage by --out, in which a trace is made"
        )
    return (record_instead if force else record_into)(program, Path(trace), plan)


def _share(text: str | None) -> float:
    from tensordbg.recording.plan import parse_share

    return 0.0 if text is None else parse_share(text)


def _stopped(program: Program, stops: tuple[str, ...], port: int | None) -> int:
    """Runs it with a debugger, where no option of recording is given."""
    from tensordbg.cli.running.stopping import run_stopping

    if not stops:
        raise UsageError(f"--dap {port} is for an editor that stops somewhere; give --pdb FILE:LINE too")
    _refuse_beside("--pdb", {"stops", "dap"})
    return run_stopping(program, stops, port or 0)


def _refuse_beside(option: str, options: set[str]) -> None:
    """Says so where an option of recording comes together with one that records nothing."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if given and name not in {*options, "as_module", "script", "arguments"}:
            raise UsageError(
                f"{parameter.opts[0]} is for a recording, but {option} records nothing; leave one of them out"
            )


def _plan(detail: Detail, chosen: dict[str, Any]) -> Plan:
    """What is to be recorded, with the filter that the options of values make."""
    from tensordbg.recording.plan import Plan
    from tensordbg.recording.value_filter import ValueFilter, parse_size

    given = {name: value for name, value in chosen.items() if value not in {None, (), (None, None)}}
    if given and detail is not Detail.VALUES:
        raise UsageError(f"options of values are for --detail values, not {detail.value}; give that too")
    if "budget" in given:
        given["budget"] = parse_size(given["budget"])
    return Plan(detail, ValueFilter(**given))
