from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensordbg.health.spec import DTYPE_NUMBERS
from tensordbg.trace.raw.record import TENSOR_RECORD
from tensordbg.trace.raw.small_elements import (
    SMALL_BYTES,
    SMALL_MARK,
    SMALL_RANK,
    bytes_in,
    elements_in,
    elements_of,
    elements_text,
    holds_elements,
    text_in,
)

HEADER = (Path(__file__).parents[3] / "native" / "record.h").read_text()


def records(dtype: str, elements: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    made = np.zeros(1, TENSOR_RECORD)
    made["dtype"], made["rank"] = DTYPE_NUMBERS[dtype], elements.ndim
    made["dims"][0, : elements.ndim] = elements.shape
    made["dims"][0, SMALL_RANK] = SMALL_MARK
    room = np.zeros(SMALL_BYTES, np.uint8)
    room[: elements.nbytes] = np.frombuffer(elements.tobytes(), np.uint8)
    made["dims"][0, SMALL_RANK + 1 :] = room.view("<u4")
    return made


def test_the_numbers_are_those_of_the_header() -> None:
    assert f"kSmallRank = {SMALL_RANK};" in HEADER
    assert int(re.search(r"kSmallMark = (\w+);", HEADER)[1], 16) == SMALL_MARK  # type: ignore[index]


@pytest.mark.parametrize("dtype", ["int32", "float64", "bool", "uint8"])
def test_reads_the_elements(dtype: str) -> None:
    elements = np.array([[1, 0, 1], [0, 1, 1]], dtype)
    made = records(dtype, elements)
    assert holds_elements(made).all()
    read = elements_in(made[0])
    assert read is not None
    assert (read == elements).all()
    assert read.dtype == elements.dtype


def test_what_bears_no_mark_or_too_many_dimensions_holds_none() -> None:
    made = np.concatenate([records("int32", np.zeros(2, np.int32))] * 2)
    made["dims"][0, SMALL_RANK] = 7
    made["rank"][1] = SMALL_RANK + 1
    assert not holds_elements(made).any()


def test_damage_is_none() -> None:
    large, strange = records("int32", np.zeros(2, np.int32)), records("int32", np.zeros(2, np.int32))
    large["dims"][0, 0], strange["dtype"] = 2**31, 250
    assert elements_in(large[0]) is None
    assert elements_in(strange[0]) is None


def test_text_is_as_python_writes_it() -> None:
    assert elements_text(np.array([[2, 4], [14, 0]])) == "[[2, 4], [14, 0]]"
    assert elements_text(np.array(0.1, np.float32)) == "0.1"
    assert elements_text(np.array([True, False])) == "[True, False]"


def test_the_elements_of_several_are_put_end_to_end() -> None:
    arrays = [np.array([1.5, -2.5], np.float32), np.array(3.5, np.float32), np.array([[1, 2, 3]], np.int8)]
    made = np.concatenate([records(each.dtype.name, each) for each in arrays])
    made["size"] = [each.size for each in arrays]
    held, length, data = bytes_in(made)
    assert held.tolist() == [True, False, True]  # of a single element the health tells all
    assert length.tolist() == [8, 0, 3]
    assert data.tobytes() == arrays[0].tobytes() + arrays[2].tobytes()
    found = elements_of(arrays[0].tobytes(), "float32", (2,))
    assert found is not None
    assert found.tolist() == [1.5, -2.5]


def test_a_size_that_does_not_fit_is_none() -> None:
    made = records("float32", np.zeros(4, np.float32))
    made["size"] = 2**40
    assert not bytes_in(made)[0].any()
    assert elements_of(b"12345", "float32", (2,)) is None
    assert elements_of(b"12345678", "string", (2,)) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"images/5.jpg", "'images/5.jpg'"),
        (b"", "''"),
        (b"\x1b[31m", r"'\x1b[31m'"),
        (b"\xff\xd8\xff\xe0", None),
        ("/data/\u00e9".encode() * 20 + b"/5.jpg", "...'" + "/data/\u00e9" * (58 // 8) + "/5.jpg'"),
    ],
)
def test_a_single_text_by_its_end(text: bytes, told: str | None) -> None:
    kept = np.frombuffer(text[-SMALL_BYTES:], np.uint8)
    record = records("string", kept)[0]
    record["rank"], record["size"], record["sum"] = 0, 1, len(text)
    assert text_in(record) is None if told is None else text_in(record).endswith(told[4:])
    record["size"] = 2
    assert text_in(record) is None
