from __future__ import annotations

import re
from pathlib import Path

from tensordbg.trace.raw import record
from tensordbg.trace.raw.record import EXECUTION_RECORD, TENSOR_RECORD, RecordFlag, RecordKind

HEADER = (Path(__file__).parents[3] / "native" / "record.h").read_text()
TYPES = {
    "std::uint64_t": "<u8",
    "std::int64_t": "<i8",
    "std::uint32_t": "<u4",
    "std::uint16_t": "<u2",
    "std::uint8_t": "|u1",
    "RecordKind": "|u1",
    "double": "<f8",
}


def fields(struct: str) -> list[tuple[str, str, str]]:
    """Type, name and number of elements of each field of a struct in the header, without comments."""
    body = re.search(rf"struct {struct} \{{(.*?)\n\}};", HEADER, re.DOTALL)[1]  # type: ignore[index]
    return re.findall(r"^ +([\w:]+) (\w+)(?:\[(\w+)\])?;", re.sub(r"//.*", "", body), re.MULTILINE)


def layout(struct: str) -> list[tuple[str, str]]:
    found = []
    for kind, name, count in fields(struct):
        if kind == "HealthFields":
            found.extend(layout(kind))
        elif kind in TYPES and not count:
            found.append((name, TYPES[kind]))
    return found


def test_fields_are_those_of_the_header_in_type_and_order() -> None:
    declared = [*layout("Record"), *layout("TensorFields")]
    read = [(name, TENSOR_RECORD[name].str) for name in TENSOR_RECORD.names if name != "dims"]
    assert read == declared


def test_arrays_are_as_long_as_in_the_header() -> None:
    assert TENSOR_RECORD["dims"].shape == (int(re.search(r"kMaxDims = (\d+)", HEADER)[1]),)  # type: ignore[index]
    assert EXECUTION_RECORD["inputs"].shape == (int(re.search(r"kMaxInputs = (\d+)", HEADER)[1]),)  # type: ignore[index]


def test_a_record_is_as_large_as_in_the_header() -> None:
    assert int(re.search(r"kRecordSize = (\d+)", HEADER)[1]) == record.RECORD_SIZE  # type: ignore[index]
    assert TENSOR_RECORD.itemsize == EXECUTION_RECORD.itemsize == record.RECORD_SIZE


def test_kinds_and_flags_are_those_of_the_header() -> None:
    kinds = dict(re.findall(r"k(\w+) = (\d+),", HEADER))
    assert {kind.name.title().replace("_", ""): str(kind.value) for kind in RecordKind} == kinds
    flags = dict(re.findall(r"kFlag(\w+) = (\d+);", HEADER))
    assert {flag.name.title().replace("_", ""): str(flag.value) for flag in RecordFlag} == flags
