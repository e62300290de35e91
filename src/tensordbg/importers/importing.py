"""Makes traces of what TensorFlow's own debuggers recorded, whichever of them it was."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tensordbg.errors import UsageError
from tensordbg.importers.tfdbg1.importing import import_dumps
from tensordbg.importers.tfdbg2.importing import import_logs


@dataclass(frozen=True)
class ImportedTrace:
    """An import that has become a trace."""

    source: str
    """Where it came from, in words."""
    trace: Path
    executions: int
    tensors: int


def import_folder(folder: Path, out: Path) -> list[ImportedTrace]:
    """Makes a trace of each set of dumped runs (version 1) and of each log (version 2) in a folder and under it.

    Raises:
        UsageError: If there is nothing of that kind, or the traces can't be written.
        TraceError: If something is damaged.
    """
    if not folder.is_dir():
        raise UsageError(
            f"{folder}: is no folder; name the one that was given to enable_dump_debug_info or to a dumping wrapper"
        )
    dumps = [
        ImportedTrace(str(each.folder), each.trace, each.executions, each.tensors) for each in import_dumps(folder, out)
    ]
    if dumps and not any(folder.rglob("tfdbg_events.*")):
        return dumps
    logs = [
        ImportedTrace(f"{each.log.folder} ({each.log.host})", each.trace, each.executions, each.tensors)
        for each in import_logs(folder, out)
    ]
    return [*dumps, *logs]
