"""One place in object storage, by fsspec: each question is asked again where the network or the server stumbles."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tensordbg.errors import TraceError, UsageError
from tensordbg.remote.addresses import protocol_of

if TYPE_CHECKING:
    import asyncio

Answer = TypeVar("Answer")

PAUSES = (0.5, 2.0)
"""Seconds before a question is asked again; the libraries ask again by themselves before that."""

PATIENCE = 10.0
"""Seconds of asking after which an error is taken for one that lasts."""

_FINAL = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError, NotImplementedError)
"""Errors that asking again does not change."""

_CREDENTIALS = ("Credential", "AccessDenied", "Forbidden", "PermissionError", "Unauthorized", "InvalidAccessKey")

_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "abfs": "adlfs", "az": "adlfs"}


@dataclass(frozen=True)
class Entry:
    """A file or a folder in object storage."""

    name: str
    folder: bool
    size: int


class Storage:
    """The folder at an address. All methods raise `TraceError` where it can't be reached, with the reason."""

    def __init__(self, address: str) -> None:
        """Nothing is asked yet.

        Raises:
            UsageError: If the address has a form that is not known here, or a library is missing.
        """
        self.address = address
        self._system, self._root = _system(address)

    def entries(self, name: str = "") -> list[Entry]:
        """The entries of a folder, none where there is no such folder."""

        def ask() -> list[Entry]:
            self._system.invalidate_cache()
            try:
                found = self._system.ls(self._at(name), detail=True)
            except (FileNotFoundError, NotADirectoryError):
                return []
            return [_entry(each) for each in found]

        here = self._at(name).rsplit("/", 1)[-1]
        return [entry for entry in self._asked(ask) if entry.name and (entry.name != here or not entry.folder)]

    def size(self, name: str) -> int:
        """How many bytes a file has.

        Raises:
            FileNotFoundError: If there is none.
        """
        return self._asked(lambda: int(self._system.info(self._at(name), refresh=True)["size"]))

    def read(self, name: str) -> bytes:
        """All bytes of a file.

        Raises:
            FileNotFoundError: If there is none.
        """
        return self._asked(lambda: bytes(self._system.cat_file(self._at(name))))

    def read_several(self, names: Sequence[str]) -> dict[str, bytes]:
        """All bytes of those of some files that are there, side by side."""
        if not names:
            return {}
        paths = [self._at(name) for name in names]
        nowhere = [None] * len(names)

        def ask() -> dict[str, bytes]:
            # `cat` would take names for patterns.
            found = self._system.cat_ranges(paths, nowhere, nowhere, on_error="return")
            for data in found:
                if isinstance(data, Exception) and not isinstance(data, FileNotFoundError):
                    raise data
            return {
                name: bytes(data)
                for name, data in zip(names, found, strict=True)
                if not isinstance(data, FileNotFoundError)
            }

        return self._asked(ask)

    def read_spans(self, name: str, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """The bytes of a file from one place to another, for several such pairs, side by side.

        Raises:
            FileNotFoundError: If there is none.
        """
        path = self._at(name)
        begins, ends = [begin for begin, _ in spans], [end for _, end in spans]
        return self._asked(
            lambda: [
                bytes(part)
                for part in self._system.cat_ranges([path] * len(spans), begins, ends, max_gap=None, on_error="raise")
            ]
        )

    def write(self, name: str, data: bytes) -> None:
        """Puts a small file in place."""
        self._written(name, lambda: self._system.pipe_file(self._at(name), data))

    def put(self, name: str, file: Path) -> None:
        """Puts a file of this machine in place.

        Raises:
            FileNotFoundError: If there is no such file here.
        """
        if not file.exists():
            raise FileNotFoundError(2, "is gone", str(file))
        self._written(name, lambda: self._system.put_file(str(file), self._at(name)))

    def delete(self, name: str) -> None:
        """Deletes a file, if it is there."""

        def ask() -> None:
            try:
                self._system.rm_file(self._at(name))
            except FileNotFoundError:
                return

        self._asked(ask)

    def _written(self, name: str, ask: Callable[[], None]) -> None:
        """Writes a file, into a folder that is made where the storage has such."""
        try:
            self._asked(ask)
        except FileNotFoundError:
            if protocol_of(self.address) in _PACKAGES:
                raise TraceError(f"{self.address}: there is no such bucket; make it, or give another address") from None
            self._asked(lambda: self._system.makedirs(self._at(name).rpartition("/")[0], exist_ok=True))
            self._asked(ask)

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root

    def _asked(self, ask: Callable[[], Answer]) -> Answer:
        for pause in PAUSES:
            began = time.monotonic()
            try:
                return ask()
            except Exception as error:  # noqa: BLE001  each library raises its own
                # Where the library has asked again for long, nothing is there that stumbles: it is gone.
                given_up = time.monotonic() - began > PATIENCE
                if given_up or isinstance(error, FileNotFoundError) or _lasts(error):
                    raise self._refused(error) from None
                time.sleep(pause)
        try:
            return ask()
        except Exception as error:  # noqa: BLE001
            raise self._refused(error) from None

    def _refused(self, error: Exception) -> Exception:
        """The error that a user sees; that a file is missing is for the caller to judge."""
        if isinstance(error, FileNotFoundError):
            return error
        text = " ".join(str(error).split())[:200]
        advice = (
            f"give it credentials as the library of {protocol_of(self.address)}:// takes them, see the manual"
            if _is_of_credentials(error)
            else "see whether it can be reached, and try again"
        )
        return TraceError(f"{self.address}: object storage refuses ({type(error).__name__}: {text}); {advice}")


def _lasts(error: Exception) -> bool:
    return isinstance(error, _FINAL) or _is_of_credentials(error)


def _is_of_credentials(error: Exception) -> bool:
    text = f"{type(error).__name__} {error}"
    return any(word in text for word in _CREDENTIALS)


def _entry(found: dict[str, Any]) -> Entry:
    name = str(found["name"]).rstrip("/").rsplit("/", 1)[-1]
    return Entry(name, found["type"] == "directory", int(found.get("size") or 0))


def _system(address: str) -> tuple[Any, str]:
    protocol = protocol_of(address)
    package = _PACKAGES.get(protocol)
    advice = "`pip install 'tensordbg[s3]'` brings what s3:// needs" if package in {None, "s3fs"} else ""
    try:
        from fsspec.core import url_to_fs

        system, root = url_to_fs(address)
    except ImportError as error:
        advice = advice or f"`pip install {package}` brings it"
        raise UsageError(f"{address}: {' '.join(str(error).split())}; {advice}") from None
    except ValueError as error:
        raise UsageError(
            f"{address}: {' '.join(str(error).split())}; give a folder, or an address such as s3://bucket/run"
        ) from None
    hush_lost_connections(getattr(system, "loop", None))
    return system, str(root).rstrip("/")


def hush_lost_connections(loop: asyncio.AbstractEventLoop | None) -> None:
    """Keeps a library's event loop from printing a traceback for each connection that was lost: it asks again."""
    if loop is None or loop.get_exception_handler() is not None:
        return

    def handle(where: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if not isinstance(context.get("exception"), ConnectionError):
            where.default_exception_handler(context)

    loop.call_soon_threadsafe(loop.set_exception_handler, handle)
