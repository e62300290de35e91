"""Damage that knows what it damages: fields of records, values in JSON, columns of Parquet, framed messages."""

from __future__ import annotations

import gzip
import json
import random
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tensordbg.opening import read_whole
from tensordbg.trace.raw.record import EXECUTION_RECORD, TENSOR_RECORD
from tests.fuzz.numbers import any_number, any_text
from tests.importers.tfdbg2.logbuilder import record

_HERE = "the place of another value"


def _bomb(piece: bytes, times: int) -> bytes:
    """A file of gzip that holds a piece so many million times; its end, which nobody may reach, is missing."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    head = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
    # What follows a full flush refers to nothing before it, so it may stand there any number of times.
    block = packer.compress(piece * 2**20) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + block * times


_BOMBS = (_bomb(b"\0", 512), _bomb(b"\x08\1", 64), _bomb(b"\x0a\0", 32))


def segment(data: bytes, chance: random.Random) -> bytes:
    """A field of some records holds another number."""
    whole = np.frombuffer(data[: len(data) // 256 * 256], TENSOR_RECORD).copy()
    if not len(whole):
        return data
    records = whole if chance.random() < 0.6 else whole.view(EXECUTION_RECORD)
    used = np.flatnonzero(whole["kind"])
    for _ in range(chance.choice([1, 1, 1, 5, 40])):
        row = int(chance.choice(used.tolist())) if len(used) and chance.random() < 0.9 else chance.randrange(len(whole))
        name = chance.choice([name for name in records.dtype.names or () if name != "sequence"])
        field = records[name]
        place: Any = (row, chance.randrange(field.shape[1])) if field.ndim > 1 else row
        kind = field.dtype
        if kind.kind == "f":
            field[place] = chance.choice([np.nan, np.inf, -np.inf, 1e308, -1e308, 0.0, 5e-324])
        else:
            field[place] = np.array(any_number(chance) % 2**64, np.uint64).astype(kind)
    return whole.tobytes() + data[len(whole) * 256 :]


def json_value(data: bytes, chance: random.Random) -> bytes:
    """Somewhere in an object stands another value, or a key is gone."""
    try:
        value: Any = json.loads(data)
    except (ValueError, RecursionError):
        return data
    top = holder = [value]
    key: Any = 0
    while isinstance(holder[key], (dict, list)) and holder[key] and chance.random() < 0.8:
        holder = holder[key]
        key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    if chance.random() < 0.1:
        del holder[key]
        return json.dumps(value if holder is not top else None).encode()
    text = any_text(chance)
    if holder is top:
        return text.encode()
    holder[key] = _HERE
    return json.dumps(value).replace(f'"{_HERE}"', text).encode()


def json_lines(data: bytes, chance: random.Random) -> bytes:
    """Some lines hold something else, stand twice, or elsewhere."""
    lines = data.splitlines()
    for _ in range(chance.choice([1, 1, 3, 10]) if lines else 0):
        number = chance.randrange(len(lines))
        what = chance.randrange(6)
        if what == 0:
            lines.insert(chance.randrange(len(lines) + 1), lines[number])
        elif what == 1:
            other = chance.randrange(len(lines))
            lines[number], lines[other] = lines[other], lines[number]
        else:
            lines[number] = json_value(lines[number], chance)
    return b"".join(line + b"\n" for line in lines)


def parquet(path: Path, chance: random.Random) -> None:
    """A table is written anew with a column of other values or another type; what the trace says of it is right."""
    try:
        table = pq.read_table(path)
        names = table.column_names
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return
    what = chance.randrange(10)
    if what > 7:
        path.write_bytes(_other_head(path, chance))
        return
    if what == 0:
        table = table.slice(chance.randrange(len(table) + 1))
    elif what == 1:
        table = pa.concat_tables([table] * chance.choice([2, 3]))
    elif what == 2 and table.num_columns > 1:
        table = table.drop_columns([chance.choice(names)])
    elif len(table):
        table = _other_column(table, chance)
    pq.write_table(table, path, row_group_size=chance.choice([1, 7, 16384]), write_page_checksum=True)
    say_so(path, len(table))


def _other_head(path: Path, chance: random.Random) -> bytes:
    """Another number stands in the head of a page, which no checksum covers; the footer is right."""
    data = bytearray(path.read_bytes())
    said = pq.read_metadata(path)
    if not said.num_row_groups:
        return bytes(data)
    chunk = said.row_group(chance.randrange(said.num_row_groups)).column(chance.randrange(said.num_columns))
    begin = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
    if chance.random() < 0.5:
        data[begin + chance.randrange(24)] = chance.randrange(256)
    else:
        # Type 0 and the two sizes come first, each behind the byte 0x15; a number of five bytes is in the billions.
        forged = b"\x15\x00\x15" + chance.choice([b"\xfe\xff\xff\xff\x0f", b"\x80\x80\x80\x80\x04"]) + b"\x15\x20"
        data[begin : begin + len(forged)] = forged
    return bytes(data)


def _other_column(table: pa.Table, chance: random.Random) -> pa.Table:
    at = chance.randrange(table.num_columns)
    name, column = table.column_names[at], table.column(at)
    values = column.to_pylist()
    try:
        if chance.random() < 0.3:
            kind = chance.choice([pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.binary(), pa.list_(pa.int64())])
            value = None if chance.random() < 0.5 else _of(kind, chance)
            made = pa.array([value] * len(values), kind)
        else:
            for _ in range(chance.choice([1, 1, 4])):
                values[chance.randrange(len(values))] = None if chance.random() < 0.2 else _of(column.type, chance)
            made = pa.array(values, column.type)
    except (pa.ArrowException, OverflowError, TypeError, ValueError, UnicodeError):
        return table
    return table.set_column(at, name, made)


def _of(kind: pa.DataType, chance: random.Random) -> Any:
    if pa.types.is_list(kind):
        return [_of(kind.value_type, chance) for _ in range(chance.choice([0, 1, 3, 1000]))]
    if pa.types.is_dictionary(kind):
        return _of(kind.value_type, chance)
    if pa.types.is_integer(kind):
        width = 2 ** (kind.bit_width - 1)
        return max(-width, min(width - 1, any_number(chance)))
    if pa.types.is_floating(kind):
        return chance.choice([np.nan, np.inf, -np.inf, 1e308, 0.0])
    if pa.types.is_boolean(kind):
        return chance.random() < 0.5
    text = chance.choice(
        ["", "x", "[[", "[1e9]", "[-1]", "[4000000000, 4000000000]", "{}", "while", "\x1b]0;x\x07", "a" * 9999]
    )
    return text.encode() if pa.types.is_binary(kind) else text


def say_so(path: Path, rows: int) -> None:
    """Puts the part's size and checksum into `sealed.json`."""
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    said = {"file": path.name, "rows": rows, "bytes": len(data), "footer": zlib.crc32(data[-8 - length :])}
    manifest = path.with_name("sealed.json")
    try:
        row = json.loads(read_whole(manifest, 2**24))
        for name in ("tensors", "executions"):
            row[name] = [said if part["file"] == path.name else part for part in row[name]]
        row["tables"] = {name: said if part["file"] == path.name else part for name, part in row["tables"].items()}
        manifest.write_text(json.dumps(row))
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return


def packed(data: bytes, chance: random.Random) -> bytes:
    """The contents of a file of gzip, damaged and packed again; or far more of them."""
    if chance.random() < 0.1:
        return chance.choice(_BOMBS)
    try:
        return gzip.compress(flipped(gzip.decompress(data), chance))
    except (OSError, EOFError, zlib.error):
        return data


def framed(data: bytes, chance: random.Random) -> bytes:
    """Damage in a message of a file of records, whose checksums are right."""
    messages, at = [], 0
    while at + 12 <= len(data):
        length = struct.unpack_from("<Q", data, at)[0]
        if at + 16 + length > len(data):
            break
        messages.append(data[at + 12 : at + 12 + length])
        at += 16 + length
    if not messages:
        return data
    number = chance.randrange(len(messages))
    what = chance.randrange(5)
    if what == 0:
        del messages[number]
    elif what == 1:
        messages.insert(chance.randrange(len(messages)), messages[number])
    else:
        messages[number] = flipped(messages[number], chance)
    return b"".join(map(record, messages))


def tensors(data: bytes, chance: random.Random) -> bytes:
    """The head of a file of safetensors says something else."""
    length = int.from_bytes(data[:8], "little")
    head = json_value(data[8 : 8 + length], chance)
    return len(head).to_bytes(8, "little") + head + data[8 + length :]


def flipped(data: bytes, chance: random.Random) -> bytes:
    """Some bits, or bytes, are others."""
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 20]) if changed else 0):
        at = chance.randrange(len(changed))
        changed[at] = changed[at] ^ 1 << chance.randrange(8) if chance.random() < 0.5 else chance.randrange(256)
    return bytes(changed)
