"""Makes traces of what other programs wrote: logs of TensorFlow's own debuggers, and files of named tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tensordbg.errors import UsageError
from tensordbg.importers.tensor_files.importing import SUFFIXES, import_files, is_tensor_file, tensor_files_in
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
    counted: str = "execution"
    """A name for one of the executions."""


def import_paths(paths: Sequence[Path], out: Path) -> list[ImportedTrace]:
    """Makes traces of a folder of logs, or of files of named tensors, which may be all that lie in a folder.

    Raises:
        UsageError: If there is nothing of that kind, or the traces can't be written.
        TraceError: If something is damaged.
    """
    if len(paths) == 1 and paths[0].is_dir():
        files = tensor_files_in(paths[0])
        return [_of_files(files, out)] if files else import_folder(paths[0], out)
    odd = next((each for each in paths if not is_tensor_file(each)), None)
    if odd is None:
        return [_of_files(paths, out)]
    if len(paths) == 1 and not odd.exists():
        return import_folder(odd, out)
    raise UsageError(
        f"{odd}: is no file of named tensors ({', '.join(SUFFIXES)}); several files are imported together, folders of "
        "logs one by one"
    )


def _of_files(files: Sequence[Path], out: Path) -> ImportedTrace:
    made = import_files(files, out)
    source = str(files[0]) if len(files) == 1 else f"{len(files)} files"
    return ImportedTrace(source, made.trace, made.steps, made.tensors, "step")


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
