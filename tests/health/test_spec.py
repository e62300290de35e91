"""The numbers of the dtypes are the same in Python and in C++."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tensordbg.errors import UsageError
from tensordbg.health.spec import DTYPE_NUMBERS, DTYPES, FLOATS, MEASURABLE, measurable_name
from tests.health.arrays import dtype_named

HEALTH = Path(__file__).parents[2] / "native" / "health"


def test_numbers_agree_with_the_header() -> None:
    body = re.search(r"enum class DType : std::uint8_t \{(.*?)\};", (HEALTH / "measure.h").read_text(), re.DOTALL)
    assert body
    entries = [entry.strip() for entry in body[1].split(",") if entry.strip()]
    assert entries[0] == "kUnknown = 0"
    names = [entry.split(" ")[0].removeprefix("k").lower() for entry in entries]
    assert all("=" not in entry for entry in entries[1:]), "numbers follow one another"
    assert names == [name.replace("_", "") for name in DTYPES]


def test_numbers_never_change() -> None:
    pinned = {"unknown": 0, "bool": 1, "int64": 5, "float16": 10, "float32": 12, "complex128": 17, "variant": 20}
    assert {name: DTYPE_NUMBERS[name] for name in pinned} == pinned


def test_sizes_agree_with_the_compiled_part() -> None:
    native = pytest.importorskip("tensordbg._native", reason="tensordbg was not compiled")
    sizes = {name: dtype_named(name).itemsize if name in MEASURABLE else 0 for name in DTYPES}
    assert {name: native.element_size(number) for name, number in DTYPE_NUMBERS.items()} == sizes


def test_floats_are_measurable() -> None:
    assert FLOATS < MEASURABLE
    assert {"bfloat16", "float8_e5m2", "complex64"} <= FLOATS
    assert not {"bool", "int64", "uint8"} & FLOATS


def test_name_of_a_dtype() -> None:
    assert measurable_name(np.dtype(">f4")) == "float32"
    assert measurable_name(dtype_named("bfloat16")) == "bfloat16"
    with pytest.raises(UsageError, match="the dtype 'datetime64' has no health"):
        measurable_name(np.dtype("M8"))
