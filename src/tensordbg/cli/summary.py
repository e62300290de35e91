"""What `tdbg run` says on standard error when the program has ended."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tensordbg.cli.output import console_for, working
from tensordbg.errors import TraceError
from tensordbg.report.numbers import count

if TYPE_CHECKING:
    from tensordbg.analysis.totals import Totals
    from tensordbg.trace.reader import TraceReader


def summarize(trace: Path, seconds: float) -> None:
    """Seals a trace and says on standard error what is in it.

    Args:
        trace: Its folder.
        seconds: How long the program ran.

    Raises:
        TraceError: If the trace is damaged.
    """
    if not (trace / "trace.json").exists():
        _say("nothing was recorded: the program did not start")
        return
    from tensordbg.analysis.totals import totals_of
    from tensordbg.trace.reader import open_trace

    with working(f"sealing {trace}"):
        _seal(trace)
        reader = open_trace(trace)
        totals = totals_of(reader)
    if not totals.tensor_events:
        _say(_nothing(reader))
        return
    steps = f"{count(totals.steps)} step{'' if totals.steps == 1 else 's'}"
    _say(f"recorded {count(totals.tensor_events)} tensors in {steps} ({seconds:.1f} s): {trace}")
    _tell_health(reader, totals, trace)


def _seal(trace: Path) -> None:
    from tensordbg.trace.seal import seal_all

    try:
        seal_all(trace)
    except TraceError as error:
        # A full disk, say: the trace can be read as it is.
        _say(f"warning: {error}")


def _nothing(reader: TraceReader) -> str:
    if not reader.facts.frameworks:
        return "nothing was recorded: the program did not import TensorFlow"
    return "nothing was recorded: the program ran no TensorFlow operation"


def _tell_health(reader: TraceReader, totals: Totals, trace: Path) -> None:
    if not totals.measured:
        _say(f"no values were looked at; `tdbg ls {trace}` lists the tensors")
    elif not totals.non_finite:
        _say(f"all {count(totals.measured)} tensors were finite; `tdbg ls {trace}` lists them")
    else:
        _say(f"{count(totals.non_finite)} of them were not finite")
        _report(reader)
        _say(f"`tdbg why {trace}` shows this again, `tdbg ls {trace} --non-finite` lists the tensors")


def _report(reader: TraceReader) -> None:
    from tensordbg.analysis.why import why
    from tensordbg.report.why_text import why_text

    result = why(reader)
    console = console_for(sys.stderr)
    console.print()
    console.print(why_text(result))
    console.print()


def _say(line: str) -> None:
    sys.stderr.write(f"tdbg: {line}\n")
