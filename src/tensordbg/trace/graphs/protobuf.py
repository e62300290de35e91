"""The wire format of Protocol Buffers, as far as graphs need it, so that reading a trace needs no TensorFlow.

See https://protobuf.dev/programming-guides/encoding/. A message is a sequence of fields; what a field means, its number
says.
"""

from __future__ import annotations

from collections.abc import Iterator

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
"""The kinds of values on the wire; groups are not used any more."""

Value = int | bytes

_MOST_FIELDS = 2**20
"""Of one message: a graph has fewer operations. A few bytes of gzip can hold any number."""


def fields(message: bytes) -> Iterator[tuple[int, Value]]:
    """The fields of a message in order: number, and an integer or, for all else, bytes.

    Raises:
        ValueError: If these bytes are no message.
    """
    position, end, count = 0, len(message), 0
    while position < end:
        key, position = _varint(message, position)
        number, kind = key >> 3, key & 7
        count += 1
        if not number or count > _MOST_FIELDS:
            raise ValueError(f"a field of number 0 or more than {_MOST_FIELDS:,} fields at byte {position}")
        if kind == VARINT:
            value, position = _varint(message, position)
            yield number, value
            continue
        if kind == LENGTH:
            size, position = _varint(message, position)
        elif kind in (FIXED32, FIXED64):
            size = 4 if kind == FIXED32 else 8
        else:
            raise ValueError(f"a field of kind {kind} at byte {position}")
        if position + size > end:
            raise ValueError(f"a field ends after byte {end}")
        yield number, message[position : position + size]
        position += size


def bytes_field(number: int, value: bytes | str) -> bytes:
    """A field that holds a text, bytes or a message."""
    data = value.encode() if isinstance(value, str) else value
    return _packed(number << 3 | LENGTH) + _packed(len(data)) + data


def integer_field(number: int, value: int) -> bytes:
    """A field that holds an integer, a truth value or an enumerated one."""
    return _packed(number << 3 | VARINT) + _packed(value)


def fixed64_field(number: int, value: bytes) -> bytes:
    """A field of eight bytes, such as a double."""
    return _packed(number << 3 | FIXED64) + value


def signed(value: int) -> int:
    """An integer field read as a signed number of 64 bits."""
    return value - 2**64 if value >= 2**63 else value


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if position >= len(message) or shift > 63:
            raise ValueError(f"no number at byte {position}")
        byte = message[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7


def _packed(value: int) -> bytes:
    value &= 2**64 - 1
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)
