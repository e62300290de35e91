"""The codec against Google's own."""

from __future__ import annotations

import struct

import pytest
from google.protobuf import struct_pb2, wrappers_pb2

from tensordbg.trace.graphs.protobuf import bytes_field, fields, fixed64_field, integer_field, signed


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 2**31, 2**63 - 1, -1, -(2**63)])
def test_integers_are_as_google_writes_them(number: int) -> None:
    message = wrappers_pb2.Int64Value(value=number).SerializeToString()
    if number:
        assert integer_field(1, number) == message
    assert [signed(value) for _, value in fields(message)] == ([number] if number else [])


def test_texts_and_doubles() -> None:
    text = wrappers_pb2.StringValue(value="größer" * 100).SerializeToString()
    assert bytes_field(1, "größer" * 100) == text
    assert list(fields(text)) == [(1, ("größer" * 100).encode())]
    double = wrappers_pb2.DoubleValue(value=1.5).SerializeToString()
    assert fixed64_field(1, struct.pack("<d", 1.5)) == double
    assert list(fields(double)) == [(1, struct.pack("<d", 1.5))]


def test_messages_in_messages() -> None:
    message = struct_pb2.ListValue(values=[struct_pb2.Value(string_value=text) for text in "ab"])
    inner = [bytes_field(1, bytes_field(3, text)) for text in "ab"]
    assert b"".join(inner) == message.SerializeToString()


@pytest.mark.parametrize(
    "damaged", [b"\x08", b"\x0a\x05ab", b"\xff" * 11, b"\x0b", b"\x09\x01", b"\0\0", b"\x08\1" * 2**21]
)
def test_what_is_no_message_is_refused(damaged: bytes) -> None:
    with pytest.raises(ValueError, match=r"field|number"):
        list(fields(damaged))
