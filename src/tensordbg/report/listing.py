"""The table of `tdbg ls`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from rich.table import Table

from tensordbg.analysis.names.listing import ListedTensor, Listing
from tensordbg.model import Frame
from tensordbg.report.numbers import ABSENT, count, count_or_blank, short

BAD = "bold red"
"""The style of what is not finite."""

_NUMBER: dict[str, Any] = {"justify": "right", "no_wrap": True}
_COLUMNS: dict[str, dict[str, Any]] = {
    "process": {"no_wrap": True},
    "event": _NUMBER,
    "step": _NUMBER,
    "iteration": _NUMBER,
    "tensor": {"overflow": "fold", "min_width": 12},
    "type": {"overflow": "fold", "min_width": 9},
    "min": _NUMBER,
    "max": _NUMBER,
    "zeros": _NUMBER,
    "nan": _NUMBER,
    "inf": _NUMBER,
    "elements": {"overflow": "fold", "min_width": 12},
    "device": {"overflow": "fold", "min_width": 5},
    "asked": {"overflow": "fold", "min_width": 5},
    "line": {"overflow": "fold", "min_width": 9},
}
"""The columns and how they are set."""


def listing_table(listing: Listing) -> Table:
    """One line per tensor event, without the columns that would be empty.

    Where there is little room, long names of tensors are set in several lines.
    """
    placed = len({device_text(row.device) for row in listing.rows}) > 1 or any(map(_moved, listing.rows))
    rows = [_cells(row, placed) for row in listing.rows]
    columns = [name for k, name in enumerate(_COLUMNS) if any(row[k] not in {"", ABSENT} for row in rows)]
    table = plain_table()
    for name in columns or _COLUMNS:
        table.add_column(name, **_COLUMNS[name])
    for row, cells in zip(listing.rows, rows, strict=True):
        named = dict(zip(_COLUMNS, cells, strict=True))
        table.add_row(*(named[name] for name in columns), style=style_of(row))
    return table


def _cells(row: ListedTensor, placed: bool) -> list[str]:
    """What stands in each of `_COLUMNS`; devices only where there is something to tell."""
    low, _, high, _, *counts = health_cells(row)
    place = place_text(row.source) if row.source else ABSENT
    times = [count(row.event), step_text(row), iteration_text(row)]
    devices = [device_text(row.device), device_text(row.asked)] if placed else ["", ""]
    return [row.process, *times, tensor_text(row), type_text(row), low, high, *counts, row.text, *devices, place]


def tensor_text(row: ListedTensor) -> str:
    """Its name, with its names in the program's text and that of the variable of which it is the value, if others."""
    others = [name for name in dict.fromkeys((*row.python_names, *row.variables)) if name != row.op_name]
    return f"{row.tensor} ({', '.join(others)})" if others else row.tensor


def device_text(device: str) -> str:
    """Type and number, `GPU:0`, of a device's full name."""
    return device.rpartition("/device:")[2]


def _moved(row: ListedTensor) -> bool:
    """Whether it was computed elsewhere than the program asked."""
    return bool(row.asked) and device_text(row.asked) not in device_text(row.device)


def listing_footer(listing: Listing, near: Sequence[str] = ()) -> str:
    """The line below the table: how much it leaves out, or where it is empty the nearest names."""
    shown = len(listing.rows)
    if not listing.total:
        return f"no tensor fits; did you mean {' or '.join(map(repr, near))}?" if near else "no tensor fits"
    if shown == listing.total:
        return ""
    return f"{count(shown)} of {count(listing.total)} tensors; --limit 0 shows all"


def plain_table() -> Table:
    """A table without lines, as columns of a terminal."""
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")


def add_health_columns(table: Table) -> None:
    """The columns that `health_cells` fills."""
    for name in ("min", "mean", "max", "std", "zeros", "nan", "inf"):
        table.add_column(name, justify="right", no_wrap=True)


LENGTHS = ("shortest", "mean", "longest", "empty")
"""The columns of what is recorded of strings: their lengths in bytes."""


def length_cells(row: ListedTensor) -> list[str]:
    """The lengths of strings, in columns that `LENGTHS` names."""
    if row.health is None:
        return [ABSENT] * len(LENGTHS)
    return [short(row.health.min), short(row.health.mean), short(row.health.max), count_or_blank(row.health.zero)]


def health_cells(row: ListedTensor) -> list[str]:
    """The health of one event, in the columns of `add_health_columns`."""
    health = row.health
    if health is None:
        return [ABSENT] * 7
    values = [short(value) for value in (health.min, health.mean, health.max, health.std)]
    return [*values, *map(count_or_blank, (health.zero, health.nan, health.neg_inf + health.pos_inf))]


def style_of(row: ListedTensor) -> str:
    """How a row looks."""
    return BAD if row.health is not None and row.health.non_finite else ""


def step_text(row: ListedTensor) -> str:
    """The step, absent for what no recorded execution caused."""
    return ABSENT if row.step < 0 else str(row.step)


def iteration_text(row: ListedTensor) -> str:
    """The iteration of the loop; of nested ones that of each, the outermost first: `2.0`."""
    return ".".join(map(str, row.iterations)) or ("" if row.iteration is None else str(row.iteration))


def type_text(row: ListedTensor) -> str:
    """Type and shape, such as `float32[100, 10]`."""
    shape = "" if row.shape is None else str(list(row.shape))
    return f"{row.dtype}{shape}" or ABSENT


def place_text(frame: Frame) -> str:
    """File and line, without the folder."""
    return f"{PurePath(frame.file).name}:{frame.line}"
