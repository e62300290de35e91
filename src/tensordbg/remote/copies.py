"""The folders of this process that stand for folders in object storage.

A reader asks for a path in such a folder, and the file is brought first. Files that are written once are brought once;
those that a recording goes on with, again after a moment.
"""

from __future__ import annotations

import atexit
import itertools
import shutil
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from tensordbg.remote.addresses import address_of
from tensordbg.remote.holes import HoledFile, Span
from tensordbg.remote.storage import Storage

FRESH = 2.0
"""Seconds for which what was brought is not asked for again."""

_MOST_WHOLE = 2**29
"""Bytes of a file that is brought whole; none of a trace has more."""

_END = 2**17
"""Bytes at the end of a table that are brought with its beginning: what is in it, and where."""

_HOLED = frozenset({".parquet", ".bin"})
_FIRST = ("trace.json", "facts.jsonl", "sealed.json")
"""The small files of a trace, which nearly every question needs."""


class Copy:
    """A folder here, for one in object storage."""

    def __init__(self, root: Path, storage: Storage) -> None:
        """Of a folder that is there and empty."""
        self.root = root
        self.storage = storage
        self._lock = threading.RLock()
        self._asked: dict[Path, float] = {}
        self._final: set[Path] = set()
        self._holed: dict[Path, HoledFile] = {}

    @property
    def brought(self) -> int:
        """How many bytes of large files were brought so far."""
        return sum(file.brought for file in self._holed.values())

    def look(self, folder: Path) -> None:
        """Makes known which traces, or which files, lie in a folder.

        Raises:
            TraceError: If object storage can't be reached.
        """
        with self._lock:
            if self._is_fresh(folder):
                return
            entries = self.storage.entries(self._name(folder))
            folders = [entry.name for entry in entries if entry.folder]
            unknown = [name for name in folders if not (folder / name / "trace.json").exists()]
            inside = [f"{name}/{file}" for name in unknown for file in _FIRST]
            if folder.name in {"segments", "graphs"}:
                folder.mkdir(parents=True, exist_ok=True)
                for entry in entries:
                    (folder / entry.name).touch()
                return
            found = self.storage.read_several([self._name(folder / name) for name in inside])
            for name in folders:
                (folder / name).mkdir(parents=True, exist_ok=True)
            for name in inside:
                data = found.get(self._name(folder / name))
                if data is not None:
                    self._keep(folder / name, data)
                self._asked[folder / name] = time.monotonic()

    def bring(self, path: Path) -> None:
        """Sees to it that a file is here: whole, or of a large one its place and its end.

        Raises:
            FileNotFoundError: If there is none.
            OSError: If it is larger than any is, or can't be written here.
            TraceError: If object storage can't be reached.
        """
        with self._lock:
            if path in self._holed or path in self._final or self._is_fresh(path):
                return
            try:
                if path.suffix in _HOLED:
                    self._hole(path)
                else:
                    self._bring_whole(path)
            except FileNotFoundError:
                path.unlink(missing_ok=True)
                raise FileNotFoundError(2, "No such file", str(path)) from None

    def need(self, path: Path, spans: Sequence[Span]) -> None:
        """Sees to it that bytes of a large file are here.

        Raises:
            OSError, TraceError: See `HoledFile.need`.
        """
        self.bring(path)
        self._holed[path].need(spans)

    def _is_fresh(self, path: Path) -> bool:
        """Whether something was asked for a moment ago; if not it is now."""
        now = time.monotonic()
        if now - self._asked.get(path, -FRESH) < FRESH:
            return True
        self._asked[path] = now
        return False

    def _hole(self, path: Path) -> None:
        name = self._name(path)
        size = self.storage.size(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        file = HoledFile(path, size, lambda spans: self.storage.read_spans(name, spans))
        if path.suffix == ".parquet" and size:
            file.need([(size - _END, size)])
        self._holed[path] = file

    def _bring_whole(self, path: Path) -> None:
        name = self._name(path)
        size = self.storage.size(name)
        if size > _MOST_WHOLE:
            raise OSError(27, f"has {size:,} bytes, but at most {_MOST_WHOLE:,} are read", str(path))
        self._keep(path, self.storage.read(name))

    def _keep(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.draft")
        draft.write_bytes(data)
        draft.replace(path)
        self._asked[path] = time.monotonic()
        if _is_final(path, data):
            self._final.add(path)

    def _name(self, path: Path) -> str:
        relative = path.relative_to(self.root).as_posix()
        return "" if relative == "." else relative


def _is_final(path: Path, data: bytes) -> bool:
    """Whether a file is not written any more."""
    if path.name == "sealed.json":
        return b'"complete": true' in data
    if path.name == "facts.jsonl":
        return b'"end"' in data
    return path.suffix != ".jsonl"


class _Known:
    lock = threading.Lock()
    copies: dict[str, Copy] = {}  # noqa: RUF012  of this process
    names: dict[str, str] = {}  # noqa: RUF012
    numbers = itertools.count()
    top: Path | None = None


def at_hand(path: str | Path) -> Path:
    """The folder in which a path is read: a copy of an address in object storage, or the path itself.

    Raises:
        UsageError: If it is an address of a form that is not known here.
    """
    address = address_of(path)
    if address is None:
        return Path(path)
    with _Known.lock:
        if address not in _Known.copies:
            _Known.copies[address] = _new_copy(address)
        return _Known.copies[address].root


def copy_of(path: Path) -> Copy | None:
    """The copy that a path lies in, if it does."""
    if not _Known.copies:
        return None
    return next((each for each in list(_Known.copies.values()) if path.is_relative_to(each.root)), None)


def let_go(path: str | Path) -> None:
    """Deletes the copy of an address, if there is one, so that a process that lives long fills no disk."""
    address = address_of(path)
    with _Known.lock:
        copy = None if address is None else _Known.copies.pop(address, None)
    if copy is not None:
        _Known.names.pop(str(copy.root), None)
        shutil.rmtree(copy.root.parent, ignore_errors=True)


def bring(path: Path) -> None:
    """Sees to it that a file is here, where it is one of object storage; see `Copy.bring`."""
    copy = copy_of(path)
    if copy is not None:
        copy.bring(path)


def look(folder: Path) -> None:
    """Makes known what lies in a folder, where it is one of object storage; see `Copy.look`."""
    copy = copy_of(folder)
    if copy is not None:
        copy.look(folder)


def call_it(folder: Path, address: str) -> None:
    """Has `named` say an address in the place of a folder of this machine."""
    _Known.names[str(folder)] = address


def named(text: str) -> str:
    """A text in which paths of copies are the addresses that they stand for."""
    for folder, address in list(_Known.names.items()):
        text = text.replace(folder, address)
    return text


def _new_copy(address: str) -> Copy:
    storage = Storage(address)
    if _Known.top is None:
        _Known.top = Path(tempfile.mkdtemp(prefix="tdbg-remote-")).resolve()
        atexit.register(shutil.rmtree, _Known.top, ignore_errors=True)
    root = _Known.top / str(next(_Known.numbers)) / (address.rsplit("/", 1)[-1] or "traces")
    root.mkdir(parents=True)
    call_it(root, address)
    return Copy(root, storage)
