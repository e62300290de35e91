"""The writing side of a trace, as the recorded program uses it: its folder, `trace.json` and the JSON lines.

It runs inside the user's program, so it imports nothing heavy, and trouble with the disk ends the recording, never the
program. The events themselves are written by the native log.
"""

from __future__ import annotations

import contextlib
import json
import operator
import os
import re
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, SupportsIndex

from tensordbg.errors import RecordingError
from tensordbg.model import Frame, Function, Site, SourceFile, Variable
from tensordbg.remote.addresses import address_of
from tensordbg.trace.held_file import HeldFile
from tensordbg.trace.program import rows
from tensordbg.trace.program.metadata import TraceMetadata

LINE_FILES = ("facts", "sites", "functions", "stacks", "sources", "variables")
"""The JSON-lines files that are written from Python; the native log writes `names` itself."""


def new_trace_folder(parent: Path, program: str) -> Path:
    """Makes a folder for one trace, such as `2026-11-21_03-59-12_train`, that no other program has or gets.

    Raises:
        RecordingError: If no folder can be made there.
    """
    _refuse_storage(parent)
    name = f"{time.strftime('%Y-%m-%d_%H-%M-%S')}_{_file_name(program)}"
    number = 1
    while True:
        folder = parent / (name if number == 1 else f"{name}-{number}")
        try:
            parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir()
        except FileExistsError:
            if not parent.is_dir():
                raise _cannot_write(parent, "a file lies there") from None
            number += 1
        except OSError as error:
            raise _cannot_write(parent, error.strerror) from error
        else:
            return folder


class TraceWriter:
    """Appends to the JSON lines of one trace; any thread may call any method at any time."""

    def __init__(self, folder: Path, files: dict[str, HeldFile]) -> None:
        """See `create`."""
        self.folder = folder
        self._files = files
        self._failure = ""
        self._process = os.getpid()
        self._lock = threading.Lock()

    @classmethod
    def create(cls, folder: Path, metadata: TraceMetadata) -> TraceWriter:
        """Begins a trace in a folder, which is made if it does not exist.

        Raises:
            RecordingError: If the folder holds a trace already, or can't be written.
        """
        claimed = False
        _refuse_storage(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if (folder / "trace.json").exists():
                raise _taken(folder)
            # Making this folder is also the claim: of two programs that try, one fails.
            (folder / "segments").mkdir()
            claimed = True
            files = {name: HeldFile(folder / f"{name}.jsonl") for name in LINE_FILES}
            _write_whole(folder / "trace.json", json.dumps(metadata.to_json(), indent=1))
        except (FileExistsError, NotADirectoryError) as error:
            raise _taken(folder) from error
        except OSError as error:
            if claimed:
                _discard(folder)
            raise _cannot_write(folder, error.strerror) from error
        return cls(folder, files)

    @property
    def failure(self) -> str:
        """Why a line could not be written, the first of all, in one line; empty while all is well."""
        return self._failure

    def site(self, site: Site) -> None:
        """Writes a site; one with a number that was given before replaces the former."""
        self._append("sites", [rows.site_row(site)])

    def sites(self, sites: Iterable[Site]) -> None:
        """Writes many sites at once."""
        self._append("sites", [rows.site_row(site) for site in sites])

    def function(self, function: Function) -> None:
        """Writes a function; one with a number that was given before replaces the former."""
        self._append("functions", [rows.function_row(function)])

    def stack(self, number: int, frames: Iterable[Frame]) -> None:
        """Writes a stack, outermost frame first."""
        self._append("stacks", [rows.stack_row(number, frames)])

    def source(self, source: SourceFile) -> None:
        """Writes the text of a source file."""
        self._append("sources", [rows.source_row(source)])

    def variable(self, variable: Variable) -> None:
        """Writes a variable; one with a number that was given before replaces the former."""
        self._append("variables", [rows.variable_row(variable)])

    def fact(self, fact: dict[str, Any]) -> None:
        """Writes something that became known while the program ran: `framework`, `warning` or `end`."""
        self._append("facts", [fact])

    def close(self) -> None:
        """Closes the files; what is written afterwards is dropped. May be called again."""
        with self._lock:
            files, self._files = self._files, {}
            for file in files.values():
                file.close()

    def discard(self) -> None:
        """Deletes what was begun, as nothing has been recorded: not even the claim to the folder stays."""
        self.close()
        _discard(self.folder)

    def _append(self, name: str, lines: list[dict[str, Any]]) -> None:
        # A forked child has its parent's files, and perhaps its lock in a locked state.
        if os.getpid() != self._process:
            return
        text = "".join(json.dumps(line, ensure_ascii=False, default=_plain) + "\n" for line in lines)
        with self._lock:
            file = self._files.get(name)
            if file is None:
                return
            # Where one file can't grow, or by so much, another line may still have room.
            try:
                file.append(text.encode("utf-8", "replace"))
            except OSError as error:
                self._failure = self._failure or f"{self.folder}/{name}.jsonl: {error.strerror}"


def _plain(value: object) -> int | str:
    """What stands for a value that JSON does not know: NumPy's integers are numbers, the rest is text."""
    return operator.index(value) if isinstance(value, SupportsIndex) else str(value)


def _write_whole(path: Path, text: str) -> None:
    """Puts a file in place whole or not at all."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    draft.write_text(text + "\n", encoding="utf-8", errors="replace")
    draft.replace(path)


def _discard(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for name in (*(f"{name}.jsonl" for name in (*LINE_FILES, "names")), "trace.json"):
            (folder / name).unlink(missing_ok=True)
        for draft in folder.glob("trace.json.*.draft"):
            draft.unlink()
        (folder / "segments").rmdir()
        folder.rmdir()


def _file_name(program: str) -> str:
    """What can stand in a file's name, and not too long."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", program).strip(".-")[:60] or "program"


def _refuse_storage(folder: Path) -> None:
    address = address_of(folder)
    if address is not None:
        raise RecordingError(
            f"{address}: only `tdbg run --out` records into object storage; name a folder, then `tdbg upload`"
        )


def _taken(folder: Path) -> RecordingError:
    return RecordingError(f"{folder}: holds a trace or something else already; choose a folder that does not exist yet")


def _cannot_write(folder: Path, why: str | None) -> RecordingError:
    return RecordingError(f"{folder}: no trace can be written there ({why}); choose another folder")
