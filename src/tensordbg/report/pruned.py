"""The table of `tdbg prune`: each run, how old and large it is, and whether it goes."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from tensordbg.report.listing import plain_table
from tensordbg.report.numbers import amount
from tensordbg.trace.folders.pruning import StoredRun

_UNITS = ("bytes", "KB", "MB", "GB", "TB")


def pruned_table(runs: Sequence[StoredRun], now_s: float) -> Table:
    """One line for each run, the oldest first."""
    table = plain_table()
    table.add_column("run", overflow="fold")
    for name in ("age", "size"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for run in runs:
        kept = f"kept: {run.what}" if run.what else "kept"
        table.add_row(run.name, age_text(now_s - run.changed_s), size_text(run.bytes), "goes" if run.goes else kept)
    return table


def pruned_sentence(runs: Sequence[StoredRun], *, deleted: bool) -> str:
    """How much goes, and how to have it go."""
    going = [run for run in runs if run.goes]
    if not going:
        return "nothing goes"
    much = f"{amount(len(going), 'run')} of {len(runs)}, {size_text(sum(run.bytes for run in going))}"
    if deleted:
        return f"deleted {much}"
    return f"{much}, would be deleted; nothing was: give --delete to delete them"


def size_text(size: float) -> str:
    """A number of bytes as one reads it: `21 MB`."""
    unit = 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.0f} {_UNITS[unit]}" if size >= 10 or unit == 0 else f"{size:.1f} {_UNITS[unit]}"


def age_text(seconds: float) -> str:
    """How long ago something was, in its largest unit: `12 days`."""
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return amount(int(seconds // length), unit)
    return "now"
