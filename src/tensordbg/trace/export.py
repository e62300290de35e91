"""Exports a trace as one plain Parquet file for each table, with names beside the numbers, for tools of any kind."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tensordbg.errors import UsageError
from tensordbg.trace.reader import TraceReader
from tensordbg.trace.schema import TABLES

_ROWS = 2**18
"""So many tensor events are held at a time."""

_SITE_NAME, _OP_TYPE, _FUNCTION_NAME, _PATH_NAME = "site_name", "op_type", "function_name", "path_name"


def export(reader: TraceReader, folder: Path) -> list[Path]:
    """Writes every table of a trace into a folder, which is made.

    `tensors` and `executions` also get the columns `site_name`, `op_type` and `function_name`, `tensors` besides
    `path_name`, and `sites` gets `function_name`.

    Returns:
        The files that were written.

    Raises:
        UsageError: If the folder is there and not empty, or can't be written.
        TraceError: If the trace can't be read.
    """
    draft = folder.with_name(f"{folder.name}.draft")
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(
                f"{folder}: is there already, and nothing is overwritten; choose a folder that does not exist"
            )
        with ExitStack() as undo:
            draft.mkdir(parents=True)
            undo.callback(shutil.rmtree, draft, ignore_errors=True)
            names = _Names(reader)
            for name in TABLES:
                _write(draft / f"{name}.parquet", (names.resolve(name, table) for table in _tables(reader, name)))
            draft.replace(folder)
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(
            f"{folder}: can't be written ({why}); choose a folder that does not exist, with room"
        ) from error
    return [folder / f"{name}.parquet" for name in TABLES]


def _tables(reader: TraceReader, name: str) -> Iterator[pa.Table]:
    """A table, in pieces where it is large; at least one."""
    if name != "tensors" or not reader.tensor_count:
        yield reader.table(name)
        return
    for begin in range(0, reader.tensor_count, _ROWS):
        yield reader.tensors(begin, begin + _ROWS)


def _write(path: Path, tables: Iterable[pa.Table]) -> None:
    pieces = iter(tables)
    first = next(pieces)
    with pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
        writer.write_table(first)
        for piece in pieces:
            writer.write_table(piece)


class _Names:
    """Finds the names that belong to numbers."""

    def __init__(self, reader: TraceReader) -> None:
        sites, functions = reader.sites(), reader.functions()
        function_names = {number: function.name for number, function in functions.items()}
        self._functions = _lookup(function_names)
        self._paths = _lookup(reader.paths())
        self._sites = _lookup({number: site.name for number, site in sites.items()})
        self._op_types = _lookup({number: site.op_type for number, site in sites.items()})
        owners = {number: function_names.get(site.function) for number, site in sites.items()}
        self._functions_of_sites = _lookup({number: name for number, name in owners.items() if name is not None})

    def resolve(self, name: str, table: pa.Table) -> pa.Table:
        """The table with the columns of names that help with it."""
        if name == "sites":
            return table.append_column(_FUNCTION_NAME, _find(self._functions, table["function"]))
        if name not in {"tensors", "executions"}:
            return table
        of_site = name == "tensors"
        functions = (
            _find(self._functions_of_sites, table["site"]) if of_site else _find(self._functions, table["function"])
        )
        table = table.append_column(_SITE_NAME, _find(self._sites, table["site"]))
        table = table.append_column(_OP_TYPE, _find(self._op_types, table["site"]))
        table = table.append_column(_FUNCTION_NAME, functions)
        return table.append_column(_PATH_NAME, _find(self._paths, table["path"])) if of_site else table


Lookup = tuple[pa.Array, pa.Array]


def _lookup(names: Mapping[int, str]) -> Lookup:
    return pa.array(names.keys(), pa.int32()), pa.array(names.values(), pa.string())


def _find(lookup: Lookup, numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    """The names of numbers, null where there is none."""
    known, names = lookup
    return names.take(pc.index_in(numbers, known).combine_chunks())
