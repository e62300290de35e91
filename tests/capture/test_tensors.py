from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tensordbg.capture.tensors import digest_of, dtype_of, read_tensors, restored, size_of, storable, write_tensors
from tensordbg.errors import CaptureError

DTYPES = [
    *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
    *(ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2),
]


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 1, 3)])
def test_a_tensor_comes_back_bit_for_bit(tmp_path: Path, dtype: object, shape: tuple[int, ...]) -> None:
    bits = np.random.default_rng(1).integers(0, 256, size=(*shape, np.dtype(dtype).itemsize), dtype=np.uint8)
    array = (bits % 2 if np.dtype(dtype) == bool else bits).reshape(-1).view(dtype).reshape(shape)
    assert storable(array)
    write_tensors(tmp_path / "file", {"a": array})
    back = restored(read_tensors(tmp_path / "file")["a"], array.dtype.name)
    assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())


def test_an_array_that_is_not_contiguous_is_stored_as_it_reads(tmp_path: Path) -> None:
    array = np.arange(12, dtype=np.float32).reshape(3, 4).T[::2]
    write_tensors(tmp_path / "file", {"a": array})
    np.testing.assert_array_equal(read_tensors(tmp_path / "file")["a"], array)


@pytest.mark.parametrize(
    "array",
    [
        np.array([b"", b"h\xc3\xa9", b"a\0b\0"], dtype=object),
        np.array(b"one", dtype=object),
        np.empty((2, 0), dtype=object),
        np.array([[b"x"], [b"y" * 1000]], dtype=object),
    ],
)
def test_strings_come_back_as_they_were(tmp_path: Path, array: np.ndarray) -> None:
    assert storable(array)
    write_tensors(tmp_path / "file", {"a": array})
    back = restored(read_tensors(tmp_path / "file")["a"], dtype_of(array), array.shape)
    assert (dtype_of(back), back.shape, back.tolist()) == ("string", array.shape, array.tolist())
    assert digest_of(back) == digest_of(array) != digest_of(np.array([b"other"], dtype=object))
    assert size_of(array) == 8 * array.size + sum(map(len, array.ravel().tolist()))


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([b"a"]), np.array([None]), np.array(["2020"], "M8[D]")])
def test_texts_and_objects_are_not_storable(array: np.ndarray) -> None:
    assert not storable(array)


def test_a_dtype_that_the_stored_elements_can_not_have_is_refused() -> None:
    with pytest.raises(CaptureError, match=r"^a tensor of bfloat16 is stored as float32, which can't be"):
        restored(np.zeros(3, np.float32), "bfloat16")
    with pytest.raises(CaptureError, match="a tensor of __class__ is stored"):
        restored(np.zeros(3, np.uint16), "__class__")


@pytest.mark.parametrize("content", [b"", b"\xff" * 100, b"\x08\0\0\0\0\0\0\0{}      "[:12]])
def test_a_file_in_another_format_is_one_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(CaptureError, match="can't be read"):
        read_tensors(tmp_path / "file")


@pytest.mark.parametrize("dtype", [np.float16, np.float64, ml_dtypes.bfloat16])
def test_a_digest_tells_bits_but_no_nan_from_another(dtype: Any) -> None:
    array = np.array([1.0, -0.0, np.inf, np.nan], dtype)
    negative = array.copy()
    negative[3] = -negative[3]
    assert digest_of(negative) == digest_of(array)
    for place, other in ((0, 1.0078125), (1, 0.0), (2, -np.inf), (3, np.inf)):
        changed = array.copy()
        changed[place] = other
        assert digest_of(changed) != digest_of(array)


def test_whole_numbers_and_scalars_have_a_digest() -> None:
    assert digest_of(np.array([1, 2])) != digest_of(np.array([1, 3]))
    assert digest_of(np.array(True)) != digest_of(np.array(False))
    assert digest_of(np.array(np.nan, np.complex128)) == digest_of(np.array(np.nan, np.complex128))
