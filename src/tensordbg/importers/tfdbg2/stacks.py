"""The Python stacks and sources of a log."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from tensordbg.importers.tfdbg2.logs import Log
from tensordbg.model import NONE, Frame, SourceFile
from tensordbg.packages import is_among_packages
from tensordbg.recording.usercode import UserCode
from tensordbg.trace.writer import TraceWriter

_CAPTURING = frozenset({"capture", "capture_by_value", "_capture_helper"})
_OWN = "/tensorflow/python/debug/lib/dumping_callback.py"


@dataclass(frozen=True)
class FrameTable:
    """The frames of a log by identifier, and the text of the files that they lie in."""

    frames: dict[str, Frame]
    sources: dict[str, SourceFile]

    @property
    def capturing(self) -> frozenset[str]:
        """Identifiers of the frames inside of what TensorFlow does to capture a value."""
        return frozenset(key for key, frame in self.frames.items() if frame.function in _CAPTURING and not frame.user)


def read_frames(log: Log) -> FrameTable:
    """Reads frames and sources; those that a killed program did not write are missing.

    Raises:
        TraceError: If a file can't be read.
    """
    files = [event.source_file for event in log.events("source_files") if event.HasField("source_file")]
    user_code = UserCode()
    frames = {}
    for event in log.events("stack_frames"):
        place = event.stack_frame_with_id.file_line_col
        if 0 <= place.file_index < len(files):
            path = files[place.file_index].file_path
            user = "\0" not in path and user_code.is_user(path) and not is_among_packages(path)
            frames[event.stack_frame_with_id.id] = Frame(path, min(max(place.line, 0), 2**31 - 1), place.func, user)
    sources = {file.file_path: _source(file) for file in files if file.lines}
    return FrameTable(frames, sources)


@dataclass
class Stacks:
    """Gives numbers to stacks, and writes each when it is first used."""

    table: FrameTable
    writer: TraceWriter
    _numbers: dict[tuple[str, ...], int] = field(default_factory=dict)
    _files: set[str] = field(default_factory=set)

    def number(self, identifiers: tuple[str, ...]) -> int:
        """The number of a stack, `NONE` where no frame of it is known."""
        known = self._numbers.get(identifiers)
        if known is None:
            known = self._numbers[identifiers] = self._add(identifiers)
        return known

    def _add(self, identifiers: tuple[str, ...]) -> int:
        found = [self.table.frames[each] for each in identifiers if each in self.table.frames]
        frames = [frame for frame in found if not frame.file.endswith(_OWN)]
        if not frames:
            return NONE
        for frame in frames:
            if frame.file not in self._files:
                self._files.add(frame.file)
                if frame.file in self.table.sources:
                    self.writer.source(self.table.sources[frame.file])
        number = sum(known != NONE for known in self._numbers.values())
        self.writer.stack(number, frames)
        return number


def _source(file: Any) -> SourceFile:
    text = "".join(f"{line}\n" for line in file.lines).removesuffix("\n")
    return SourceFile(file.file_path, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), text)
