"""The table of `tdbg captures`, and what `tdbg capture show` says of one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tensordbg.capture.header import Header, StoredTensor, Suspect
from tensordbg.capture.reader import Capture
from tensordbg.enumeration import first_few
from tensordbg.report.listing import BAD, plain_table
from tensordbg.report.numbers import ABSENT, count

_MOST_ROWS = 64
"""So many rows of a batch are listed."""


def captures_table(captures: Sequence[Capture]) -> Table:
    """One line for each capture."""
    table = plain_table()
    for name in ("capture", "made", "program", "function"):
        table.add_column(name, overflow="fold")
    table.add_column("step", justify="right", no_wrap=True)
    table.add_column("not finite", overflow="fold")
    for capture in captures:
        header = capture.header
        bad = first_few([_short(suspect) for suspect in header.trouble.suspects], 3)
        table.add_row(str(capture.path), _time(header), header.program, header.function, count(header.step), bad)
    return table


def capture_text(capture: Capture) -> RenderableType:
    """All that a capture holds."""
    header = capture.header
    suspects = [(each.name, each.dtype, each.shape, _counts(each)) for each in header.trouble.suspects]
    bad: list[RenderableType] = [_tensors("not finite", suspects), Text()] if suspects else []
    return Group(
        _facts(header),
        Text(),
        *bad,
        _tensors("given", [_stored(each.tensor) for each in header.arguments]),
        Text(),
        *_origins(header),
        _tensors("variables before the step", [_stored(each.tensor) for each in header.variables]),
        *(Text(f"\n{note}", style=BAD) for note in header.notes),
    )


def _facts(header: Header) -> Table:
    commit = header.commit
    table = Table.grid(padding=(0, 2))
    for name, value in {
        "step": f"{count(header.step)} of {header.function}",
        "trouble": _trouble(header),
        "made": f"{_time(header)} on {header.host}",
        "command": " ".join(header.command),
        "in": header.folder,
        "versions": ", ".join(f"{name} {version}" for name, version in header.frameworks.items())
        + f", Python {header.python}",
        "commit": "" if commit is None else commit.commit + (" and changes since then" if commit.dirty else ""),
        "seeds": ", ".join(f"{name} {seed}" for name, seed in header.seeds.items()),
        **header.extra,
    }.items():
        if value:
            table.add_row(Text(name), Text(value))
    return table


def _trouble(header: Header) -> str:
    """What was bad in a step whose loss and gradients were finite; empty for others, whose bad tensors say it."""
    numbers = ", ".join(f"{name} {number:.4g}" for name, number in header.trouble.numbers.items())
    steps = f", in one of {count(len(header.later) + 1)} steps from this one on" if header.later else ""
    said = {
        "loss_jump": f"the loss jumped ({numbers})",
        "gradient_norm": f"the gradients' norm was over the limit ({numbers})",
        "predicate": f"the predicate said so ({numbers})",
        "asked": f"it was asked for ({numbers})",
        "variable": f"a variable went bad{steps}",
    }
    return said.get(header.trouble.kind, "")


def _origins(header: Header) -> list[RenderableType]:
    """Where the rows of the batch came from."""
    if not header.origins:
        return []
    table = plain_table()
    table.add_column("row", justify="right")
    table.add_column("came from", overflow="fold")
    for row, origin in list(enumerate(header.origins))[:_MOST_ROWS]:
        table.add_row(count(row), origin or ABSENT)
    more = len(header.origins) - _MOST_ROWS
    return [table, *([Text(f"and {count(more)} more; --json has all", style="dim")] if more > 0 else []), Text()]


def _tensors(title: str, rows: Sequence[tuple[str, str, tuple[int, ...], str]]) -> Table:
    table = plain_table()
    table.add_column(title, overflow="fold")
    table.add_column("dtype", no_wrap=True)
    table.add_column("shape", no_wrap=True)
    table.add_column("", overflow="fold")
    for name, dtype, shape, said in rows:
        table.add_row(name, dtype, str(list(shape)), said)
    return table


def _stored(tensor: StoredTensor) -> tuple[str, str, tuple[int, ...], str]:
    return tensor.name, tensor.dtype, tensor.shape, "" if tensor.key else f"not kept: {tensor.missing}"


def _short(suspect: Suspect) -> str:
    return f"{suspect.role} of {suspect.variable}" if suspect.variable else suspect.role


def _counts(suspect: Suspect) -> str:
    said = ", ".join(f"{count(number)} {name}" for name, number in suspect.counts.items())
    return f"{said}; {_short(suspect)}"


def _time(header: Header) -> str:
    return datetime.fromtimestamp(header.created_ns / 1e9, timezone.utc).astimezone().strftime("%Y-%m-%d %H:%M:%S")
