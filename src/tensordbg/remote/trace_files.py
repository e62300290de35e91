"""Which files of a trace are to be in object storage, and in which order they get there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tensordbg.errors import TraceError


@dataclass(frozen=True)
class TraceFiles:
    """The files of a trace at one moment, by their names within its folder."""

    content: tuple[str, ...]
    """All but the two below: these are put in place before those, by which a trace is found and read."""
    sealed: bytes | None
    """What stands in `sealed.json`; it may be another by the time that the content is in place."""


def files_of_trace(trace: Path, *, ended: bool) -> TraceFiles:
    """The files of a trace as it is now.

    Args:
        trace: Its folder.
        ended: Whether its program has ended: what is not sealed counts too then, and no file grows any more.

    Raises:
        TraceError: If `sealed.json` can't be understood.
    """
    sealed, named, complete = _sealed(trace)
    lines = ["facts.jsonl"] if complete else sorted(path.name for path in trace.glob("*.jsonl"))
    kept = [f"graphs/{path.name}" for path in sorted((trace / "graphs").glob("*.pb.gz"))]
    values = sorted((trace / "values").glob("*.bin"))
    # The newest is being written: of a mapped file nothing tells whether it has changed.
    kept += [f"values/{path.name}" for path in (values if ended else values[:-1])]
    if ended and not complete:
        kept += [f"segments/{path.name}" for path in sorted((trace / "segments").glob("*.bin"))]
    content = [name for name in (*lines, *named, *kept) if (trace / name).exists() or name in named]
    return TraceFiles(tuple(content), sealed)


def _sealed(trace: Path) -> tuple[bytes | None, list[str], bool]:
    """What stands in `sealed.json`, the tables that it names, and whether all is sealed."""
    path = trace / "sealed.json"
    try:
        data = path.read_bytes()
        row = json.loads(data)
        parts = [*row["tensors"], *row["executions"], *row["tables"].values()]
        return data, [str(part["file"]) for part in parts], bool(row["complete"])
    except FileNotFoundError:
        return None, [], False
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise TraceError(f"{path}: can't be read ({error}); `tdbg why` says what is wrong with the trace") from None
