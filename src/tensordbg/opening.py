"""Opens what others made: regular files alone, reached over no link, and read no further than they are meant to go.

A trace, a capture or a dump may come from anywhere. A pipe in the place of a file would be waited for without end, a
device read without end, and a link lead out of the folder that was given. The folder itself is the user's to choose,
and may be a link. Of what lies in object storage a copy is opened, which is brought first (`remote/copies.py`).
"""

from __future__ import annotations

import errno
import os
import stat
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from tensordbg.remote import copies

_FILE = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
_FOLDER = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY


class UnfitFileError(OSError):
    """A file that is none, lies behind a link, or is larger than it may be; the reason is in `strerror`."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(errno.EINVAL, why, str(path))


def open_regular(path: Path, within: Path | None = None) -> BinaryIO:
    """Opens a file for reading, without waiting for anything.

    Args:
        path: The file.
        within: A folder above it; from there on no link is followed. By default the one that it lies in.

    Raises:
        FileNotFoundError: If it does not exist.
        OSError: If it can't be opened, is no regular file, or lies behind a link.
    """
    copies.bring(path)
    top = path.parent if within is None else within
    *folders, name = path.relative_to(top).parts
    place = os.open(top, _FOLDER)
    try:
        for folder in folders:
            outer, place = place, _step_into(place, folder, path)
            os.close(outer)
        file = _open_in(place, name, path)
    finally:
        os.close(place)
    return os.fdopen(file, "rb")


def read_whole(path: Path, most: int, within: Path | None = None) -> bytes:
    """All bytes of a file; see `open_regular`.

    Raises:
        OSError: If it can't be opened, or has more than `most` bytes.
    """
    with open_regular(path, within) as file:
        size = os.fstat(file.fileno()).st_size
        data = file.read(most + 1) if size <= most else b""
    if max(size, len(data)) > most:
        raise UnfitFileError(path, f"has {max(size, len(data)):,} bytes, but at most {most:,} are read")
    return data


def read_packed(path: Path, most: int, within: Path | None = None) -> bytes:
    """Reads a file that was compressed by gzip; see `open_regular`.

    Raises:
        OSError: If it can't be opened, is damaged, or either form of it has more than `most` bytes.
    """
    unpacking = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        data = unpacking.decompress(read_whole(path, most, within), most + 1)
    except zlib.error as error:
        raise UnfitFileError(path, str(error)) from None
    if len(data) > most:
        raise UnfitFileError(path, f"holds more than {most:,} bytes")
    if not unpacking.eof:
        raise UnfitFileError(path, "its end is missing")
    return data


def name_of_open(file: BinaryIO, path: Path) -> str:
    """A name for a library that opens by name: that of this very file while it is open, whatever stands at its path."""
    name = f"/proc/self/fd/{file.fileno()}"
    return name if os.path.exists(name) else str(path)  # noqa: PTH110  what is deleted has no path


def need(path: Path, spans: Sequence[tuple[int, int]]) -> None:
    """Sees to it that bytes of a large file can be read, from one place up to another; object storage gives them now.

    Raises:
        OSError: If they can't be.
    """
    copy = copies.copy_of(path)
    if copy is not None:
        copy.need(path, spans)


def is_brought(path: Path) -> bool:
    """Whether a file is one of object storage, of which only those bytes can be read that `need` was asked for."""
    return copies.copy_of(path) is not None


def size_of(file: BinaryIO) -> int:
    """How many bytes an open file has."""
    return os.fstat(file.fileno()).st_size


def is_regular(path: Path) -> bool:
    """Whether a file is there and no link."""
    try:
        copies.bring(path)
        return stat.S_ISREG(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Whether a folder is there and no link."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def _step_into(place: int, folder: str, path: Path) -> int:
    try:
        return os.open(folder, _FOLDER | os.O_NOFOLLOW, dir_fd=place)
    except NotADirectoryError:
        raise UnfitFileError(path, f"{folder} is a link or no folder, and links are not followed") from None


def _open_in(place: int, name: str, path: Path) -> int:
    try:
        file = os.open(name, _FILE, dir_fd=place)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UnfitFileError(path, "is a link, and links are not followed") from None
        if error.errno in {errno.ENXIO, errno.ENODEV}:  # a socket, or a device without its driver
            raise UnfitFileError(path, "is no regular file") from None
        raise type(error)(error.errno, error.strerror, str(path)) from None
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise UnfitFileError(path, "is no regular file")
    return file
