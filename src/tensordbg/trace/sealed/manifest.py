"""`sealed.json`: which Parquet files of a trace count, and from which segment on events are still raw.

It is replaced atomically. What it does not name does not count, and what it says is sealed is never read raw: so a
crash at any moment neither loses nor doubles an event.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tensordbg.json_input import load_json
from tensordbg.opening import read_whole
from tensordbg.trace.damage import reading_of
from tensordbg.trace.sealed.parts import Part
from tensordbg.trace.sums.totals import Sums

MANIFEST = "sealed.json"

_MOST_BYTES = 2**28
"""Of the file: what the decoder must know of calls that are open may be much."""


@dataclass(frozen=True)
class Manifest:
    """The sealed part of a trace."""

    next_segment: int = 0
    """The first segment that is not."""
    damaged_slots: int = 0
    """In the segments that are."""
    overwritten: int = 0
    """How many events had gone before those were sealed, because only the last ones are kept."""
    damaged_lines: int = 0
    """Of the JSON lines, once they are sealed."""
    tensors: tuple[Part, ...] = ()
    executions: tuple[Part, ...] = ()
    tables: Mapping[str, Part] = field(default_factory=dict)
    """The small tables, once they are sealed."""
    complete: bool = False
    """Whether all is sealed, for good."""
    decoder: Mapping[str, Any] = field(default_factory=dict)
    """What the decoder of the next segment needs to know of those before."""
    sums: Sums | None = None
    """Of all that is sealed; None of what older versions sealed."""

    def rows_of(self, name: str) -> int | None:
        """How many rows a sealed table has; None where it is not sealed as a whole."""
        if name == "executions":
            return sum(part.rows for part in self.executions) if self.complete else None
        return self.tables[name].rows if name in self.tables else None

    @property
    def files(self) -> set[str]:
        """All files that count."""
        return {part.file for part in (*self.tensors, *self.executions, *self.tables.values())}


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a trace; of one that was never sealed an empty one.

    Raises:
        TraceError: If it is damaged.
    """
    path = folder / MANIFEST
    try:
        with reading_of(path):
            return _from_json(load_json(read_whole(path, _MOST_BYTES)))
    except FileNotFoundError:
        return Manifest()


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Puts a manifest in place, whole or not at all.

    Raises:
        OSError: If it can't be written.
    """
    draft = folder / f"{MANIFEST}.draft"
    with draft.open("w", encoding="utf-8") as file:
        json.dump(_to_json(manifest), file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(folder / MANIFEST)


def _to_json(manifest: Manifest) -> dict[str, Any]:
    return {
        "next_segment": manifest.next_segment,
        "damaged_slots": manifest.damaged_slots,
        "overwritten": manifest.overwritten,
        "damaged_lines": manifest.damaged_lines,
        "tensors": [part.to_json() for part in manifest.tensors],
        "executions": [part.to_json() for part in manifest.executions],
        "tables": {name: part.to_json() for name, part in manifest.tables.items()},
        "complete": manifest.complete,
        "decoder": manifest.decoder,
        "sums": None if manifest.sums is None else manifest.sums.to_json(),
    }


def _from_json(row: Mapping[str, Any]) -> Manifest:
    return Manifest(
        next_segment=int(row["next_segment"]),
        damaged_slots=int(row["damaged_slots"]),
        overwritten=int(row.get("overwritten", 0)),
        damaged_lines=int(row["damaged_lines"]),
        tensors=tuple(Part.from_json(part) for part in row["tensors"]),
        executions=tuple(Part.from_json(part) for part in row["executions"]),
        tables={str(name): Part.from_json(part) for name, part in row["tables"].items()},
        complete=bool(row["complete"]),
        decoder=dict(row["decoder"]),
        sums=None if row.get("sums") is None else Sums.from_json(row["sums"]),
    )
