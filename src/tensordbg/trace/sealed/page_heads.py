"""The heads of Parquet's pages, which no checksum covers: whether they ask for no more room than the footer says.

A reader makes room for as many bytes and values as the head of a page says, before it looks at the page. So a head that
says two billion fills the memory, whatever the size of the file. The heads are in Thrift's compact form:
https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

MOST_BYTES = 2**29
"""Of a column in one group of rows."""

MOST_VALUES = MOST_BYTES // 8
"""Of a column in one group of rows; one row may hold a list of any length."""

_DATA, _DICTIONARY = 0, 2
_CONTENT = {_DATA: 5, _DICTIONARY: 7}
"""Which field of a head describes what is in the page, by the page's type: those that are written into a trace."""

_ENCODINGS = frozenset({0, 2, 3, 5, 8, 9})
"""Plain, dictionary (old and new), runs, differences, byte streams. In others a value may repeat one before it."""

_LIKELY, _MOST_HEAD = 256, 2**16
_DEPTH = 4
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _STRUCT = 1, 2, 3, 7, 8, 12
_INTEGERS = frozenset({4, 5, 6})


@dataclass(frozen=True)
class ColumnExtent:
    """The entry of the footer for a column in one group of rows."""

    begin: int
    """Where its first page lies in the file."""
    packed: int
    unpacked: int
    """Bytes of all its pages with their heads, in the file and once they are unpacked."""
    values: int

    @classmethod
    def of(cls, chunk: Any) -> ColumnExtent:
        """Reads pyarrow's metadata of a column."""
        begin = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
        return cls(begin, chunk.total_compressed_size, chunk.total_uncompressed_size, chunk.num_values)


def check_columns(descriptor: int, extents: Iterable[ColumnExtent]) -> None:
    """Checks the heads of all pages of some columns in a file.

    Raises:
        ValueError: If one of them asks for more than the footer says, or is none.
    """
    for extent in extents:
        if not (0 <= extent.unpacked <= MOST_BYTES and 0 <= extent.values <= MOST_VALUES):
            raise ValueError(f"a column has {extent.values:,} values in {extent.unpacked:,} bytes, more than any has")
        _check_pages(descriptor, extent)


def _check_pages(descriptor: int, extent: ColumnExtent) -> None:
    at, end, unpacked, values = extent.begin, extent.begin + extent.packed, 0, 0
    while at < end:
        length, page = _read_head(descriptor, at, end)
        kind = page.get(1, -1)
        content = page.get(_CONTENT.get(kind, 0))
        if not isinstance(content, dict) or content.get(2) not in _ENCODINGS:
            raise ValueError(f"there is a page of type {kind} that is never written")
        here, grown = page.get(3, -1), page.get(2, -1)
        # Of a dictionary each word takes some bytes; and so it has no more than these.
        most = extent.values if kind == _DATA else grown
        if min(here, grown) < 0 or not 0 <= content.get(1, -1) <= most:
            raise ValueError("a page says how large it is, but that can't be")
        at += length + here
        unpacked += length + grown
        values += content[1] if kind == _DATA else 0
    if at != end or unpacked > extent.unpacked or values > extent.values:
        raise ValueError("the pages of a column are larger than its file says at the end")


def _read_head(descriptor: int, at: int, end: int) -> tuple[int, Mapping[int, Any]]:
    """Length and fields of the head that begins somewhere."""
    for size in (_LIKELY, _MOST_HEAD):
        data = os.pread(descriptor, min(size, end - at), at)
        try:
            return _Compact(data).whole()
        except IndexError:
            if len(data) < size:
                break
    raise ValueError("the head of a page has no end")


class _Compact:
    """Reads one struct; of what it holds only integers and structs are given, by the numbers of their fields."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def whole(self) -> tuple[int, dict[int, Any]]:
        """Its length and fields.

        Raises:
            IndexError: If the data end before it does.
            ValueError: If it holds what no head does.
        """
        fields = self._struct(_DEPTH)
        return self._at, fields

    def _struct(self, depth: int) -> dict[int, Any]:
        if not depth:
            raise ValueError("the head of a page is nested deeper than any")
        data, number = self._data, 0
        fields: dict[int, Any] = {}
        while True:
            head = data[self._at]
            self._at += 1
            if not head:
                return fields
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            if kind in _INTEGERS:
                fields[number] = self._integer()
            elif kind == _STRUCT:
                fields[number] = self._struct(depth - 1)
            elif kind == _BINARY:
                length = self._varint()
                self._at += length
            elif kind in (_BYTE, _DOUBLE):
                self._at += 1 if kind == _BYTE else 8
            elif kind not in (_TRUE, _FALSE):
                raise ValueError("the head of a page holds what none does")

    def _integer(self) -> int:
        """A number whose sign is its last bit."""
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _varint(self) -> int:
        data, value, shift = self._data, 0, 0
        while True:
            byte = data[self._at]
            self._at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number in the head of a page has no end")
