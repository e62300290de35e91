"""The summary that `tdbg run` writes to standard error when the program has ended."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tensordbg.cli.arguments import DEFAULT_FOLDER
from tensordbg.cli.output import console_for, print_note, working
from tensordbg.errors import TraceError
from tensordbg.report.numbers import amount, count

if TYPE_CHECKING:
    from tensordbg.analysis.finding import WhyResult
    from tensordbg.trace.folders.runs import RunProcess
    from tensordbg.trace.reader import TraceReader


_NEW_NAME = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_")
"""As `new_trace_folder` of `trace/writer.py` gives them."""
_NAMED = 4
"""So many warnings are named; each takes a line."""


def summarize(trace: Path, seconds: float) -> None:
    """Seals a trace and says on standard error what is in it.

    Args:
        trace: Its folder.
        seconds: How long the program ran.

    Raises:
        TraceError: If the trace is damaged.
    """
    if not (trace / "trace.json").exists():
        with contextlib.suppress(OSError):
            trace.rmdir()
        _say("nothing was recorded: the program did not start")
        return
    from tensordbg.analysis.why import why
    from tensordbg.trace.folders.runs import run_with
    from tensordbg.trace.reader import open_trace

    with working(f"reading {trace}"):
        _seal(trace)
        reader = open_trace(trace)
        started = [] if reader.count("tensors") else _started(trace)
        result = why(reader) if not started else None
    if result is None:
        _summarize_started(trace, started, seconds)
        return
    if not result.tensor_events and not result.failures:
        _say(_nothing(reader))
        return
    tensors, steps = amount(result.tensor_events, "tensor"), amount(result.steps, "step")
    _say(f"recorded {tensors} in {steps} ({seconds:.1f} s): {trace}")
    run = run_with(trace)
    several = len(run.processes) > 1
    named = f" {trace}" if several else command_name(trace)
    _tell_health(result, named)
    if several:
        _say(f"`tdbg why{_folder(trace)}` takes the processes of this run together: {run.listed}")
    _tell_warnings(result, named)


def _tell_warnings(result: WhyResult, named: str) -> None:
    """Names the warnings, unless the report has told of them."""
    if not result.warnings:
        return
    if not _reports(result):
        from tensordbg.report.findings.warnings import warning_headline

        for warning in result.warnings[:_NAMED]:
            _say(f"warning: {warning_headline(warning)}")
    _say(f"{amount(len(result.warnings), 'warning')} of finite numbers; `tdbg why{named}` tells what and where")


def _reports(result: WhyResult) -> bool:
    """Whether the summary holds the whole report."""
    return result.measured and bool(result.failures or result.non_finite_events)


def _started(trace: Path) -> list[RunProcess]:
    """The processes that a program has started, where these have computed something; none where it was started itself.

    As long as one of them runs, it is a run of its own to tell of.
    """
    from tensordbg.trace.folders.runs import run_with
    from tensordbg.trace.program.process import RUN_VARIABLE
    from tensordbg.trace.reader import open_trace

    if os.environ.get(RUN_VARIABLE):
        return []
    others = [each for each in run_with(trace).processes if each.folder != trace]
    readers = [open_trace(each.folder) for each in others]
    if any(reader.running for reader in readers) or not any(reader.count("tensors") for reader in readers):
        return []
    return others


def _summarize_started(trace: Path, processes: Sequence[RunProcess], seconds: float) -> None:
    """Says what is in the traces of the processes that a program started, which computed nothing itself."""
    from tensordbg.analysis.why import why_of_run
    from tensordbg.trace.reader import open_trace

    with contextlib.suppress(OSError):
        shutil.rmtree(trace)
    folder = trace.parent if _NEW_NAME.match(trace.name) else trace
    processes = [_brought_into(folder, each) for each in processes]
    with working(f"reading {folder}"):
        for each in processes:
            _seal(each.folder)
        result = why_of_run({each.name: open_trace(each.folder) for each in processes})
    tensors, steps = amount(result.tensor_events, "tensor"), amount(result.steps, "step")
    names = ", ".join(each.name for each in processes)
    _say(f"recorded {tensors} in {steps} of {names} ({seconds:.1f} s): {folder}")
    named = f" {folder}" if folder is trace else _folder(trace)
    if result.tensor_events:
        _tell_health(result, named)
    if result.warnings:
        _say(f"{amount(len(result.warnings), 'warning')} of finite numbers; `tdbg why{named}` tells what and where")
    if any(alert.process for alert in result.alerts) and not _reports(result):
        _say(f"processes of the run differ from one another; `tdbg why{named}` tells which and where")


def _brought_into(folder: Path, process: RunProcess) -> RunProcess:
    """The trace of a process in the folder that was named for the whole run, where it lay beside that."""
    if process.folder.parent == folder:
        return process
    with contextlib.suppress(OSError):
        folder.mkdir(exist_ok=True)
        return replace(process, folder=process.folder.rename(folder / process.folder.name))
    return process


def _seal(trace: Path) -> None:
    from tensordbg.trace.sealed.seal import seal_all

    try:
        seal_all(trace)
    except TraceError as error:
        # A full disk, say: the trace can be read as it is.
        _say(f"warning: {error}")


def _nothing(reader: TraceReader) -> str:
    if reader.damage:
        return f"{count(reader.damage)} events can't be read, since the trace does not say which operations they are of"
    if not reader.facts.frameworks:
        return "nothing was recorded: the program did not import TensorFlow or PyTorch"
    return "nothing was recorded: the program ran no operation of TensorFlow or PyTorch"


def command_name(trace: Path) -> str:
    """How a trace is named to a command: by its folder where it has a new name in it, else by the name it was given."""
    return _folder(trace) if _NEW_NAME.match(trace.name) or not _folder(trace) else f" {trace}"


def _folder(trace: Path) -> str:
    """How the folder of traces is named to a command, which takes the newest; the usual folder needs no name."""
    return "" if trace.parent == Path(DEFAULT_FOLDER) else f" {trace.parent}"


def _tell_health(result: WhyResult, named: str) -> None:
    if not result.measured:
        _say(f"no values were looked at; `tdbg ls{named}` lists the tensors")
    elif result.failures and not result.non_finite_events:
        _report(result)
        _say(f"`tdbg why{named}` shows this again, `tdbg ls{named}` lists the tensors")
    elif not result.non_finite_events:
        one = result.tensor_events == 1
        told = "The only tensor was finite" if one else f"All {count(result.tensor_events)} tensors were finite"
        _say(f"{told}; `tdbg ls{named}` lists {'it' if one else 'them'}")
    else:
        _say(
            f"{count(result.non_finite_events)} of them {'was' if result.non_finite_events == 1 else 'were'} not finite"
        )
        _report(result)
        _say(f"`tdbg why{named}` shows this again, `tdbg ls{named} --non-finite` lists the tensors")


def _report(result: WhyResult) -> None:
    from tensordbg.report.findings.why_text import why_text

    console = console_for(sys.stderr)
    console.print()
    console.print(why_text(result))
    console.print()


def _say(line: str) -> None:
    print_note(f"tdbg: {line}")
