"""`tdbg show --values`: prints the elements of a tensor, or writes them into a file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from tensordbg.analysis.tensors.show import TensorHistory
    from tensordbg.trace.reader import TraceReader


@dataclass(frozen=True)
class ValuesWanted:
    """The request of the options of `--values`."""

    part: str
    """A slice as it is written; empty for the whole tensor."""
    ranges: tuple[str, ...]
    """Of elements that are highlighted."""
    write: str | None
    """A file, or None where the elements are printed."""
    precision: int | None
    everything: bool
    """Whether elements are printed that NumPy would leave out."""
    limit: int
    """At most so many events are printed, 0 for all; a file has all."""


def show_values(reader: TraceReader, history: TensorHistory, wanted: ValuesWanted) -> list[Text]:
    """Prints the elements of each event, or that they were written.

    Raises:
        UsageError: If none were kept, a slice or range is wrong, or the file can't be written.
        TraceError: If they can't be read.
    """
    from tensordbg.analysis.tensors.composites import whole_values
    from tensordbg.analysis.tensors.elements import elements_of, kept_points, window
    from tensordbg.analysis.tensors.intervals import parse_interval
    from tensordbg.analysis.tensors.slices import parse_slice, take
    from tensordbg.report.elements import Look, elements_text, value_text

    index = parse_slice(wanted.part)
    intervals = tuple(parse_interval(text) for text in wanted.ranges)
    target = None if wanted.write is None else _free(Path(wanted.write))
    points = kept_points(reader, history)
    if target is not None:
        return [_write(target, [take(elements_of(reader, point), index) for point in points])]
    look = Look(_print_options(wanted), intervals)
    part = window([point.point for point in points], wanted.limit)
    shown = points[part]
    whole = {} if wanted.part or intervals else whole_values(reader, [point.point for point in shown])
    texts = [
        value_text(point.point, whole[point.point.event])
        if point.point.event in whole
        else elements_text(point.point, take(elements_of(reader, point), index), look)
        for point in shown
    ]
    return [*texts, *_footer(part, len(points), history.total)]


def _footer(part: slice, kept: int, total: int) -> list[Text]:
    """What is not printed; nothing where all is."""
    from rich.text import Text

    said = []
    if part != slice(0, kept):
        said.append(f"events {part.start + 1} to {part.stop} of {kept}; --limit 0 shows all")
    if kept < total:
        said.append(f"of {total} events {kept} were kept")
    return [Text("; ".join(said), style="dim")] if said else []


def _print_options(wanted: ValuesWanted) -> dict[str, Any]:
    from tensordbg.cli.output import console_for
    from tensordbg.report.elements import all_elements

    options: dict[str, Any] = {}
    if wanted.precision is not None:
        options["precision"] = wanted.precision
    if sys.stdout.isatty():
        options["max_line_width"] = console_for(sys.stdout).width
    return all_elements(options) if wanted.everything else options


def _free(path: Path) -> Path:
    if path.exists():
        raise UsageError(f"{path}: is there already, and nothing is overwritten; choose another name")
    return path


def _write(path: Path, arrays: list[Any]) -> Text:
    """Writes one array, or those of several events along a new first axis."""
    import numpy as np
    from rich.text import Text

    from tensordbg.analysis.tensors.elements import stacked

    array = arrays[0] if len(arrays) == 1 else stacked(arrays)
    if len({each.shape for each in arrays}) == 1 and all(each.dtype == object for each in arrays):
        from tensordbg.trace.raw.strings import as_fixed

        array = as_fixed(array)
    if array.dtype == object:
        raise UsageError(
            f"the {len(arrays)} events differ in shape or dtype and make no one array; choose one with --step or "
            "--iteration, or a part that all have with --slice"
        )
    if array.dtype.kind not in "biufcS":
        # The file's format has no bfloat16 or float8; float32 holds each of their numbers.
        array = array.astype(np.float32)
    try:
        with path.open("xb") as file:
            np.save(file, array, allow_pickle=False)
    except OSError as error:
        raise UsageError(f"{path}: can't be written ({error.strerror}); choose another place") from error
    return Text(f"{path}  {array.dtype}{list(array.shape)}")
