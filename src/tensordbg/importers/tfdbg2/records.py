"""Reads TFRecord files: each record is its length, a checksum of that, the data and a checksum of the data."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tensordbg.errors import TraceError
from tensordbg.opening import open_regular, size_of
from tensordbg.trace.graphs.checksums import masked_checksums

_HEAD = struct.Struct("<QI")
_FOOT = struct.Struct("<I")
_LEAST = 64
"""A record counts as so many bytes more than it has, as millions of empty ones take memory too."""

_TOGETHER = 2**23
"""Bytes of records that are checked together."""


def read_records(path: Path) -> Iterator[bytes]:
    """The records of a file, in order; a last one that was cut, as the program was killed, is left out.

    Raises:
        TraceError: If the file can't be read, or its checksums do not fit.
    """
    try:
        with open_regular(path) as file:
            yield from _checked(path, file)
    except OSError as error:
        raise TraceError(f"{path}: can't be read ({error.strerror}); make it readable or leave it out") from error


def _checked(path: Path, file: BinaryIO) -> Iterator[bytes]:
    lengths: list[tuple[bytes, int]] = []
    records: list[tuple[bytes, int]] = []
    size = size_of(file)
    waiting = 0
    while True:
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size:
            break
        length, checksum = _HEAD.unpack(head)
        lengths.append((head[:8], checksum))
        # A length that was damaged must not be believed: it may ask for more memory than there is.
        if length > size:
            _check(path, lengths)
            break
        data, foot = file.read(length), file.read(_FOOT.size)
        if len(data) < length or len(foot) < _FOOT.size:
            _check(path, lengths)
            break
        records.append((data, _FOOT.unpack(foot)[0]))
        waiting += length + _LEAST
        if waiting > _TOGETHER:
            yield from _sound(path, lengths, records)
            lengths, records, waiting = [], [], 0
    yield from _sound(path, lengths, records)


def _sound(path: Path, lengths: list[tuple[bytes, int]], records: list[tuple[bytes, int]]) -> list[bytes]:
    _check(path, lengths)
    _check(path, records)
    return [data for data, _ in records]


def _check(path: Path, parts: list[tuple[bytes, int]]) -> None:
    found = masked_checksums([data for data, _ in parts]).tolist()
    if found != [checksum for _, checksum in parts]:
        raise TraceError(f"{path}: is damaged, its checksums do not fit; restore it from a copy, or take it out")
