"""Makes a trace of files of named tensors: each tensor is an event, with its elements."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from tensordbg.errors import RecordingError, TraceError, UsageError
from tensordbg.importers.new_trace import SEGMENT_RECORDS, new_trace
from tensordbg.importers.tensor_files import numpy_files, safetensors_file
from tensordbg.importers.tensor_files.steps import steps_of
from tensordbg.importers.tensor_files.stored import StoredTensor, event_of
from tensordbg.model import NONE, Detail, Site
from tensordbg.opening import is_regular, open_regular, size_of
from tensordbg.trace.events import EventWriter, ExecutionEvent, Moment
from tensordbg.trace.program.metadata import TraceMetadata
from tensordbg.trace.writer import TraceWriter

SUFFIXES = (".safetensors", ".npz", ".npy")

OP_TYPE = "Tensor"
"""The type of the site of a named tensor: what computed it is not known."""

_LEAST_KEPT, _KEPT_PER_BYTE = 2**31, 4
"""So many bytes of elements are kept of a file anyway, or so many for each of its own: an archive may be packed so that
it unpacks to a thousand times its size."""


@dataclass(frozen=True)
class ImportedFiles:
    """The files that became a trace."""

    files: tuple[Path, ...]
    trace: Path
    steps: int
    tensors: int


def is_tensor_file(path: Path) -> bool:
    """Whether a path is a file of named tensors, by its ending."""
    return path.suffix in SUFFIXES and not path.is_dir()


def tensor_files_in(folder: Path) -> list[Path]:
    """The files of named tensors in a folder, by name."""
    return sorted(each for each in folder.iterdir() if each.suffix in SUFFIXES and is_regular(each))


def import_files(files: Sequence[Path], out: Path) -> ImportedFiles:
    """Makes one trace of some files.

    Raises:
        UsageError: If one does not exist, or the trace can't be written.
        TraceError: If one is damaged.
    """
    in_order = sorted(zip(steps_of(files), files, strict=True), key=lambda item: item[0])
    with new_trace(out, files[0].stem) as trace:
        tensors = _write(trace, in_order)
    return ImportedFiles(tuple(files), trace, len({step for step, _ in in_order}), tensors)


def _write(trace: Path, files: Sequence[tuple[int, Path]]) -> int:
    writer = TraceWriter.create(trace, _metadata([file for _, file in files]))
    with EventWriter(trace, SEGMENT_RECORDS) as events:
        sites = _Sites(writer)
        for step, path in files:
            with _opened(path) as file:
                _write_file(events, sites, step, (file, path))
        events.names("path", [""])
        events.names("device", [""])
    # Nothing tells how the program ended; that it was cut off would show.
    writer.fact({"end": {"time_ns": _time(files[-1][1])}})
    writer.close()
    if writer.failure:
        raise RecordingError(f"{writer.failure}; make room there, or choose another folder with --out")
    return events.tensors


def _write_file(events: EventWriter, sites: _Sites, step: int, opened: tuple[BinaryIO, Path]) -> None:
    file, path = opened
    time, left = _time(path), max(_LEAST_KEPT, _KEPT_PER_BYTE * size_of(file))
    for tensor in _tensors(file, path):
        event = event_of(tensor, left)
        left -= 0 if event.elements is None else event.elements.nbytes
        site = sites.number(tensor.name, step, event.dtype)
        number = events.begin(ExecutionEvent(site, step), time)
        events.tensor(number, (site, 0), event, Moment(time))


def _tensors(file: BinaryIO, path: Path) -> list[StoredTensor]:
    if path.suffix == ".safetensors":
        return safetensors_file.list_tensors(file)
    return numpy_files.arrays_of(file) if path.suffix == ".npz" else [numpy_files.array_of(file, path.stem)]


@dataclass
class _Sites:
    """Gives each name a site. A name that comes twice in a step gets a number behind it."""

    trace: TraceWriter
    _numbers: dict[str, int] = field(default_factory=dict)
    _seen: Counter[tuple[int, str]] = field(default_factory=Counter)

    def number(self, name: str, step: int, dtype: str) -> int:
        self._seen[step, name] += 1
        times = self._seen[step, name]
        unique = (name or "tensor") if times == 1 else f"{name or 'tensor'}_{times}"
        if unique not in self._numbers:
            number = self._numbers[unique] = len(self._numbers)
            self.trace.site(Site(number, unique, OP_TYPE, NONE, NONE, dtypes=(dtype,)))
        return self._numbers[unique]


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with open_regular(path) as file:
            yield file
    except FileNotFoundError:
        raise UsageError(f"{path}: there is no such file; name files that end with {', '.join(SUFFIXES)}") from None
    except OSError as error:
        raise TraceError(f"{path} can't be read: {error.strerror or error}") from None
    except TraceError as error:
        raise TraceError(f"{path} can't be read: {error}") from None


def _time(path: Path) -> int:
    return max(os.stat(path).st_mtime_ns, 0)  # noqa: PTH116  a link was refused when it was opened


def _metadata(files: Sequence[Path]) -> TraceMetadata:
    time = _time(files[0]) if files[0].exists() else 0
    return TraceMetadata(
        id=f"{files[0].stem}-{time}-{len(files)}",
        program=files[0].stem,
        command=(),
        python="",
        host="",
        pid=0,
        created_ns=time,
        clock_offset_ns=0,
        segment_records=SEGMENT_RECORDS,
        detail=Detail.VALUES,
        kernel="",
    )
