"""The Parquet files of a sealed trace: written whole or not at all, and read only if they are what was written.

Arrow checks the pages by their checksums; the footer, which it trusts, is checked here, and so are the heads of pages.
"""

from __future__ import annotations

import errno
import os
import weakref
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from tensordbg.opening import is_brought, name_of_open, need, open_regular, size_of
from tensordbg.trace.damage import damaged, reading_of
from tensordbg.trace.sealed.page_heads import MOST_BYTES, ColumnExtent, check_columns

ROW_GROUP = 16384
"""Rows that are read together: the least that a slice costs. A page of 200 rows costs about 5 ms with so many."""

_DELTA = ("event", "time_ns", "execution", "run", "begin_ns", "end_ns")
_FLOATS = ("min", "max", "sum", "sum_squares", "sum_abs")
_MOST_ROWS = 2**20
_MOST_GROUP = MOST_BYTES
"""Rows and bytes of what is read together."""

_MOST_TIMES = 1000
"""So many times its size at most is what a file holds: each column of each group of rows takes some bytes."""

_MOST_FOOTER = 2**26
"""Bytes of the metadata of a file: those of ten million rows take less than a hundredth."""

_COUNTS = ("negative", "zero", "positive", "subnormal")


@dataclass(frozen=True)
class Part:
    """One Parquet file that counts."""

    file: str
    """Its name in the trace's folder."""
    rows: int
    bytes: int
    footer: int
    """Checksum of what lies behind the data."""

    def to_json(self) -> dict[str, Any]:
        """The object that stands for it in `sealed.json`."""
        return asdict(self)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Part:
        """The reverse of `to_json`.

        Raises:
            LookupError, TypeError, ValueError: If it is none.
        """
        part = cls(str(row["file"]), int(row["rows"]), int(row["bytes"]), int(row["footer"]))
        if Path(part.file).name != part.file or min(part.rows, part.bytes) < 0:
            raise ValueError(f"{part} is no part")
        return part


class HeldPart:
    """A part that is open and has been checked; it closes when nobody holds it any more."""

    def __init__(self, parquet: pq.ParquetFile, file: BinaryIO, path: Path) -> None:
        """See `open_part`."""
        self.parquet = parquet
        self._file = file
        self._path = path
        self._name = name_of_open(file, path)
        weakref.finalize(self, file.close)

    def need(self, groups: Sequence[int], columns: Sequence[str] | None) -> None:
        """Sees to it that columns of some groups of rows can be read, all by default; a local file was checked before.

        Raises:
            OSError: If they can't be brought.
            ValueError: If they hold what can't be.
        """
        if is_brought(self._path):
            extents = [ColumnExtent.of(chunk) for chunk in _chunks(self.parquet.metadata, groups, columns)]
            need(self._path, [(extent.begin, extent.begin + extent.packed) for extent in extents])
            check_columns(self._file.fileno(), extents)

    @property
    def name(self) -> str:
        """By which others open this very file; what stands at its path may be another by now.

        Raises:
            FileNotFoundError: If it was deleted, as it was put into another part.
        """
        if not os.fstat(self._file.fileno()).st_nlink:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self._name)
        return self._name


def write_part(folder: Path, file: str, tables: Iterable[pa.Table], schema: pa.Schema) -> Part:
    """Writes tables into one file; it is on the disk, with its final name, when this returns.

    Raises:
        OSError: If it can't be written; nothing is left of it then.
    """
    path = folder / file
    draft = folder / f"{file}.draft"
    count = 0
    try:
        with pq.ParquetWriter(draft, schema, **_encoding(schema)) as writer:
            for table in tables:
                count += len(table)
                writer.write_table(table.unify_dictionaries(), row_group_size=ROW_GROUP)
        _flush(draft)
        with open_regular(draft) as data:
            footer = zlib.crc32(_footer(data, draft))
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    return Part(file, count, path.stat().st_size, footer)


def open_part(folder: Path, part: Part) -> HeldPart:
    """Opens a part for reading.

    Raises:
        FileNotFoundError: If it is gone.
        TraceError: If it is not what was written.
    """
    path = folder / part.file
    with reading_of(path):
        data = open_regular(path)
        try:
            return _held(data, path, part)
        except BaseException:
            data.close()
            raise


def _held(data: BinaryIO, path: Path, part: Part) -> HeldPart:
    """The part, if the file is what was written.

    Raises:
        TraceError: If it was changed.
        ValueError: If it holds what can't be.
    """
    if size_of(data) != part.bytes or zlib.crc32(_footer(data, path)) != part.footer:
        raise damaged(path, "it was changed since it was sealed")
    parquet = pq.ParquetFile(name_of_open(data, path), page_checksum_verification=True)
    _check_groups(parquet.metadata, part)
    if not is_brought(path):
        every = range(parquet.metadata.num_row_groups)
        check_columns(data.fileno(), map(ColumnExtent.of, _chunks(parquet.metadata, every, None)))
    return HeldPart(parquet, data, path)


def _chunks(metadata: pq.FileMetaData, groups: Iterable[int], columns: Sequence[str] | None) -> Iterator[Any]:
    """The entries of a file for columns in groups of rows; columns in a list go by the name of that."""
    for number in groups:
        group = metadata.row_group(number)
        for column in range(group.num_columns):
            chunk = group.column(column)
            if columns is None or chunk.path_in_schema.partition(".")[0] in columns:
                yield chunk


def _check_groups(metadata: pq.FileMetaData, part: Part) -> None:
    """Checks that a file holds as many rows as is said, and no more than is ever written: a few bytes can say billions.

    Raises:
        ValueError: If it does not.
    """
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    rows, size = sum(group.num_rows for group in groups), sum(group.total_byte_size for group in groups)
    if not rows == metadata.num_rows == part.rows:
        raise ValueError(f"it has {metadata.num_rows:,} rows, and not {part.rows:,}")
    most = max((max(group.num_rows / _MOST_ROWS, group.total_byte_size / _MOST_GROUP) for group in groups), default=0)
    if most > 1 or size > _MOST_TIMES * part.bytes + _MOST_GROUP:
        raise ValueError(f"it holds {rows:,} rows and {size:,} bytes, more than such a file ever does")


def _footer(data: BinaryIO, path: Path) -> bytes:
    """What lies behind the data: metadata, their length (4 bytes) and the sign `PAR1`."""
    size = size_of(data)
    if size < 8:
        raise ValueError("too short for a Parquet file")
    data.seek(size - 8)
    length = int.from_bytes(data.read(4), "little")
    if length + 8 > size or length > _MOST_FOOTER:
        raise ValueError("its end is missing")
    need(path, [(size - 8 - length, size)])
    data.seek(size - 8 - length)
    return data.read()


def _encoding(schema: pa.Schema) -> dict[str, Any]:
    """How the columns are stored: what rises as differences, measurements byte by byte, the rest by dictionary."""
    special = {
        **dict.fromkeys(_DELTA, "DELTA_BINARY_PACKED"),
        **dict.fromkeys(_FLOATS, "BYTE_STREAM_SPLIT"),
        **dict.fromkeys(_COUNTS, "DELTA_BINARY_PACKED"),
    }
    names = [name for name in schema.names if not pa.types.is_list(schema.field(name).type)]
    return {
        "compression": "zstd",
        "column_encoding": {name: special[name] for name in names if name in special},
        "use_dictionary": [name for name in names if name not in special],
        "write_page_checksum": True,
        # Least and greatest leave NaN out, and DuckDB takes them for those of all rows: it would find no NaN.
        "write_statistics": [name for name in schema.names if name not in (*_FLOATS, "elements")],
    }


def _flush(path: Path) -> None:
    """Waits until the file is on the disk: what it was made from is deleted next."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
