"""Finds the logs in a folder: each process that was debugged wrote a set of files whose names begin alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tensordbg.errors import UsageError
from tensordbg.importers.tfdbg2.messages import read_events
from tensordbg.opening import is_regular

KINDS = ("metadata", "source_files", "stack_frames", "graphs", "execution", "graph_execution_traces")
"""The files of a log, by the end of their name."""

_NAME = re.compile(rf"(?P<prefix>tfdbg_events\.(?P<seconds>\d{{1,10}})\.(?P<host>.*?))\.(?P<kind>{'|'.join(KINDS)})")


@dataclass(frozen=True)
class Log:
    """The log that one process wrote."""

    folder: Path
    host: str
    seconds: int
    """When it began, since 1970."""
    run: str
    """The same for all processes of one run; empty where that is not known."""
    version: str
    """Of TensorFlow."""
    files: dict[str, Path]
    """By `KINDS`; some may be missing."""

    def events(self, kind: str) -> Iterator[Any]:
        """The events of one file, none if there is no such file.

        Raises:
            TraceError: If the file can't be read.
        """
        return read_events(self.files[kind]) if kind in self.files else iter(())


def find_logs(folder: Path) -> list[Log]:
    """The logs in a folder and in the folders under it.

    Raises:
        UsageError: If there is no such folder, or no log in it.
        TraceError: If a file can't be read.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: is no folder; name the one that was given to enable_dump_debug_info")
    found: dict[tuple[Path, str], dict[str, Path]] = {}
    begun: dict[tuple[Path, str], re.Match[str]] = {}
    for path in sorted(folder.rglob("tfdbg_events.*")):
        name = _NAME.fullmatch(path.name)
        if name and is_regular(path):
            found.setdefault((path.parent, name["prefix"]), {})[name["kind"]] = path
            begun[path.parent, name["prefix"]] = name
    if not found:
        raise UsageError(
            f"{folder}: holds no logs (tfdbg_events.*) and no dumps (run_*) of TensorFlow's debugger; name the folder "
            "that was given to enable_dump_debug_info, or to a dumping wrapper"
        )
    return [_log(key[0], begun[key], files) for key, files in found.items()]


def describing(log: Log, logs: list[Log]) -> Log:
    """The log that says what the program consists of: of several processes of a run the first writes it for all."""
    if log.files.get("graphs") is not None and next(log.events("graphs"), None) is not None:
        return log
    others = [other for other in logs if other.run and other.run == log.run and "graphs" in other.files]
    return min(others, key=lambda other: other.seconds, default=log)


def _log(folder: Path, name: re.Match[str], files: dict[str, Path]) -> Log:
    metadata = next(read_events(files["metadata"]), None) if "metadata" in files else None
    described = metadata.debug_metadata if metadata is not None else None
    return Log(
        folder=folder,
        host=name["host"],
        seconds=int(name["seconds"]),
        run=described.tfdbg_run_id if described is not None else "",
        version=described.tensorflow_version if described is not None else "",
        files=files,
    )
