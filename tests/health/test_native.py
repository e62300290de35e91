"""Every variant of the compiled kernel gives, for every dtype, what the NumPy reference gives."""

from __future__ import annotations

import ctypes
import dataclasses
import math
import platform
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from tensordbg.errors import UsageError
from tensordbg.health import reference
from tensordbg.health.spec import DTYPE_NUMBERS
from tensordbg.model import Health
from tests.health.arrays import FLOAT_NAMES, NAMES, arrays_of, dtype_named, fill, part_name, placed, special_values

_native = pytest.importorskip("tensordbg._native", reason="tensordbg was not compiled")
native = pytest.importorskip("tensordbg.health.native")

KERNELS = native.kernels()
EXACT = ("size", "negative", "zero", "neg_inf", "pos_inf", "nan", "subnormal", "first_bad")
SCALE = 2.0**-64
"""Keeps sums of float64 in range."""
LARGEST = sys.float_info.max


def sum_of_magnitudes(array: NDArray[Any]) -> float:
    """Times SCALE: what the error of the sum is measured by."""
    with np.errstate(all="ignore"):
        magnitudes = np.abs(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64))
        return float((magnitudes[np.isfinite(magnitudes)] * SCALE).sum())


def room_for_sums(array: NDArray[Any]) -> float:
    """The relative error of sums: past the first block of these, parts are added up in single precision."""
    blocks = {"float32": 4096, "bfloat16": 8192, "float16": 8192}
    return 2.0**-21 if array.size > blocks.get(array.dtype.name, array.size) else 1e-9


def close(actual: float, expected: float, relative: float) -> bool:
    return actual == expected or math.isclose(actual, expected, rel_tol=relative, abs_tol=1e-300)


def assert_same_health(actual: Health, expected: Health, array: NDArray[Any]) -> None:
    for name in EXACT:
        assert getattr(actual, name) == getattr(expected, name), name
    # Two ways to compute a modulus may differ in its last bit.
    relative = 1e-15 if array.dtype.kind == "c" else 0.0
    for name in ("min", "max"):
        found, wanted = getattr(actual, name), getattr(expected, name)
        assert (math.isnan(found) and math.isnan(wanted)) or close(found, wanted, relative), (name, found, wanted)
    room = room_for_sums(array)
    assert close(actual.sum_squares, expected.sum_squares, room), (actual.sum_squares, expected.sum_squares)
    # A sum within rounding of the limit may come out as infinite: infinity stands for the limit here.
    error = abs(np.clip(actual.sum, -LARGEST, LARGEST) * SCALE - np.clip(expected.sum, -LARGEST, LARGEST) * SCALE)
    assert error <= room * sum_of_magnitudes(array), (actual.sum, expected.sum)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kernel", KERNELS)
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_agrees_with_the_reference(kernel: str, name: str, data: st.DataObject) -> None:
    array = data.draw(arrays_of(name))
    assert_same_health(native.measure_by(kernel, array), reference.measure(array), array)


@pytest.mark.parametrize("name", FLOAT_NAMES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_every_pair_of_special_values(kernel: str, name: str) -> None:
    values = special_values(part_name(name))
    pairs = np.stack(np.meshgrid(values, values), axis=-1).reshape(-1, 2)
    for pair in pairs:
        array = pair.view(dtype_named(name)).reshape(-1)
        assert_same_health(native.measure_by(kernel, array), reference.measure(array), array)


@pytest.mark.parametrize("name", [name for name in NAMES if dtype_named(name).itemsize <= 2 and name != "bool"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_every_bit_pattern_of_the_small_dtypes(kernel: str, name: str) -> None:
    bits = dtype_named(name).itemsize * 8
    patterns = np.arange(2**bits, dtype=f"u{bits // 8}").view(dtype_named(name))
    assert_same_health(native.measure_by(kernel, patterns), reference.measure(patterns), patterns)
    for array in patterns[:, None] if bits == 8 else patterns[:: 2**bits // 997, None]:
        assert_same_health(native.measure_by(kernel, array), reference.measure(array), array)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_any_alignment(kernel: str, name: str) -> None:
    data = fill(np.random.default_rng(1), name, 333, "few non-finite")
    aligned = native.measure_by(kernel, placed(data, name, 0))
    # Compared as text, where NaN equals NaN.
    assert {str(native.measure_by(kernel, placed(data, name, offset))) for offset in range(1, 64)} == {str(aligned)}


@pytest.mark.parametrize("position", [0, 1, 63, 2047, 2048, 2049, 4999])
@pytest.mark.parametrize("kernel", KERNELS)
def test_position_of_the_first_non_finite_element(kernel: str, position: int) -> None:
    for name in FLOAT_NAMES:
        array = np.ones(5000, dtype_named(name))
        array[[position, 4999]] = np.nan
        assert native.measure_by(kernel, array).first_bad == position, name


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("least", [0.0, 1e-40, 1.5, np.inf, np.nan])
def test_numbers_of_one_sign(kernel: str, sign: int, least: float) -> None:
    array = np.linspace(2, 3, 10_000).astype(np.float32)
    array[7000] = least
    array = np.copysign(array, np.float32(sign))
    for part in (array, array[:7000], array[6990:7011], -array[7000:]):
        assert_same_health(native.measure_by(kernel, part), reference.measure(part), part)


@pytest.mark.parametrize("kernel", KERNELS)
def test_counters_do_not_overflow(kernel: str) -> None:
    size = 70_001
    for name in NAMES:
        zeros = native.measure_by(kernel, np.zeros(size, dtype_named(name)))
        assert (zeros.zero, zeros.finite, zeros.max) == (size, size, 0.0), name
    for name in FLOAT_NAMES:
        assert native.measure_by(kernel, np.full(size, np.nan, dtype_named(name))).nan == size, name


@pytest.mark.parametrize("kernel", KERNELS)
def test_large_magnitudes(kernel: str) -> None:
    float32 = native.measure_by(kernel, np.full(5000, -3e38, np.float32))
    assert close(float32.sum_squares, 5000 * float(np.float32(3e38)) ** 2, 1e-12)
    assert float32.std == pytest.approx(0.0, abs=1e33)
    assert native.measure_by(kernel, np.array([LARGEST, LARGEST, -LARGEST, -LARGEST] * 700)).sum == 0.0
    assert native.measure_by(kernel, np.array([LARGEST, LARGEST])).sum == math.inf
    assert native.measure_by(kernel, np.array([-LARGEST, -LARGEST, 1])).sum == -math.inf
    assert native.measure_by(kernel, np.array([LARGEST])).sum_squares == math.inf
    moduli = native.measure_by(kernel, np.array([3e200 + 4e200j, 3e-200 + 4e-200j]))
    assert close(moduli.max, 5e200, 1e-15)
    assert close(moduli.min, 5e-200, 1e-15)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_sum_of_numbers_that_cancel(kernel: str) -> None:
    values = np.random.default_rng(2).normal(size=100_000).astype(np.float32)
    array = np.concatenate([values, -values, [np.float32(1e-3)]])
    assert_same_health(native.measure_by(kernel, array), reference.measure(array), array)


MANY = 300_003
LEVELS = np.repeat([1.0, 1e6, -3.0, 0.1, 0.1], MANY // 5 + 1)[:MANY]
"""Whole blocks that are alike, and changes between them."""
LARGE = {
    "normal": lambda draw: draw.normal(size=MANY),
    "far from zero": lambda draw: draw.normal(1e4, 0.01, MANY),
    "one number": lambda draw: np.full(MANY, 0.1),
    "one row again and again": lambda draw: np.resize(draw.uniform(1, 2, 32), MANY),
    "levels": lambda draw: LEVELS,
    "levels with noise": lambda draw: LEVELS * draw.uniform(0.9, 1.1, MANY),
    "one far away": lambda draw: np.where(np.arange(MANY) == 50_000, 1e30, draw.normal(size=MANY)),
    "squares that vanish": lambda draw: draw.normal(0, 1e-25, MANY),
    "squares that overflow": lambda draw: draw.normal(0, 1e25, MANY),
    "vanishing far from zero": lambda draw: 1 + draw.normal(0, 1e-25, MANY),
    "half of it zero": lambda draw: np.maximum(draw.normal(size=MANY), 0) * np.sign(draw.normal(size=MANY)),
    "zeros of both signs": lambda draw: draw.normal(size=MANY) * draw.integers(0, 2, MANY),
    "vanishing after zeros": lambda draw: np.where(np.arange(MANY) < 50_000, 0.0, 1e-30),
    "subnormal among zeros": lambda draw: np.where(draw.uniform(size=MANY) < 0.01, 1e-40, 0.0),
    "not finite at last": lambda draw: np.where(np.arange(MANY) < 90_000, draw.normal(3, 1, MANY), np.nan),
    "not finite at first": lambda draw: np.where(np.arange(MANY) > 9_000, draw.normal(3, 1, MANY), -np.inf),
}


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("content", LARGE)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.filterwarnings("ignore:overflow")
def test_many_that_may_be_added_up_in_single_precision(kernel: str, content: str, name: str) -> None:
    """A kernel may add up single precision numbers, so a sum need only be right to a rounding of its parts."""
    array = LARGE[content](np.random.default_rng(5)).astype(dtype_named(name))
    found, wanted = native.measure_by(kernel, array), reference.measure(array)
    finite = array[np.isfinite(array)].astype(np.float64)
    magnitudes = np.abs(finite).sum()
    assert abs(found.sum - wanted.sum) <= 6 * 2.0**-24 * magnitudes
    assert close(found.sum_squares, wanted.sum_squares, 3 * 2.0**-22)
    # Its mean and deviation are right even where the numbers lie close together and far from zero.
    if finite.size:
        assert found.std == pytest.approx(finite.std(), rel=1e-4, abs=1e-7 * np.abs(finite).max())
    precise = dataclasses.replace(found, sum=wanted.sum, sum_squares=wanted.sum_squares)
    assert_same_health(precise, wanted, array)


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_many_of_all_kinds(kernel: str, name: str) -> None:
    """Numbers of all magnitudes and both signs, zeros and subnormals too, are counted as one by one."""
    draw = np.random.default_rng(7)
    bits = draw.integers(0, 1 << 16, MANY, dtype=np.uint16)
    every = bits.view(dtype_named(name)) if name != "float32" else (bits.astype(np.uint32) << 16).view(np.float32)
    with np.errstate(invalid="ignore"):  # of a NaN with a payload, say
        finite = every[np.isfinite(every)]
    for array in (finite, every, np.where(draw.random(MANY) < 0.2, every, every.dtype.type(-0.0))):
        found, wanted = native.measure_by(kernel, array), reference.measure(array)
        kept = {"sum": wanted.sum, "sum_squares": wanted.sum_squares}
        assert_same_health(dataclasses.replace(found, **kept), wanted, array)


@pytest.mark.parametrize("kernel", KERNELS)
def test_errors_of_single_precision_do_not_add_up(kernel: str) -> None:
    for content in ("normal", "far from zero", "one number", "one far away", "half of it zero"):
        array = LARGE[content](np.random.default_rng(6)).astype(np.float32)
        assert_same_health(native.measure_by(kernel, array), reference.measure(array), array)


@pytest.mark.parametrize("kernel", KERNELS)
def test_any_byte_but_zero_is_true(kernel: str) -> None:
    counts = _native.measure(bytes(range(256)) * 3, DTYPE_NUMBERS["bool"], 768, kernel)
    assert counts[1] == 3
    assert counts[-2:] == (765.0, 765.0)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(60.0).reshape(3, 4, 5).transpose(2, 0, 1)[::2],
        np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        np.arange(10.0)[::-1],
        np.broadcast_to(np.float32(2), (3, 3)),
        np.array(-1.5),
        np.zeros((3, 0, 2)),
        np.array([1, np.nan, -2], ">f4"),
        np.array([-1, 2**40], ">i8"),
        np.arange(6).astype(dtype_named("bfloat16")).reshape(2, 3).T,
        np.ma.masked_array([1.0, 2.0], [False, True]),
    ],
    ids=lambda array: f"{array.dtype}{list(array.shape)}",
)
def test_any_layout(array: NDArray[Any]) -> None:
    assert_same_health(native.measure(array), reference.measure(np.asarray(array)), np.asarray(array))


def test_index_counts_in_row_major_order() -> None:
    array = np.zeros((4, 5), order="F")
    array[1, 2] = np.inf
    array[0, 4] = np.nan
    assert native.measure(array).first_bad == 4
    assert native.measure(array.T).first_bad == 2 * 4 + 1


def test_read_only_arrays_are_measured() -> None:
    array = np.ones(3)
    array.flags.writeable = False
    assert native.measure(array).sum == 3.0


def test_the_best_kernel_is_the_default() -> None:
    assert native.kernel_name() == KERNELS[0]
    assert KERNELS[-1] == ("neon" if platform.machine() in {"aarch64", "arm64"} else "portable")
    assert dataclasses.asdict(native.measure(np.arange(9.0))) == dataclasses.asdict(
        native.measure_by(KERNELS[0], np.arange(9.0))
    )


def test_many_threads_measure_at_once() -> None:
    arrays = [np.full(100_000, number, np.float32) for number in range(16)]
    with ThreadPoolExecutor(4) as pool:
        assert [health.max for health in pool.map(native.measure, arrays)] == list(range(16))


def test_mistakes_are_named() -> None:
    with pytest.raises(UsageError, match="the dtype 'object' has no health; those that have are bool, int8"):
        native.measure(np.array([None]))
    with pytest.raises(ValueError, match="this processor has no health kernel 'mmx'; see kernels"):
        native.measure_by("mmx", np.zeros(1))
    with pytest.raises(ValueError, match="count is 3, but the buffer holds 2 elements"):
        _native.measure(bytes(9), DTYPE_NUMBERS["float32"], 3)
    with pytest.raises(ValueError, match="count is -1"):
        _native.measure(bytes(8), DTYPE_NUMBERS["float32"], -1)
    for number in (0, DTYPE_NUMBERS["string"], 99, -1):
        with pytest.raises(ValueError, match=f"dtype number {number} has no health"):
            _native.measure(bytes(8), number, 1)
    with pytest.raises((BufferError, ValueError), match="contiguous"):
        _native.measure(np.zeros((4, 4))[:, 0], DTYPE_NUMBERS["float64"], 4)
    with pytest.raises(TypeError):
        _native.measure(17, DTYPE_NUMBERS["float32"], 1)


@contextmanager
def subnormals_flushed() -> Iterator[None]:
    """Sets this thread's processor to take subnormals for zero, as frameworks do for theirs."""
    if sys.platform != "linux" or platform.machine() not in {"x86_64", "aarch64"}:
        pytest.skip("knows the floating-point environment of glibc on x86-64 and 64-bit Arm only")
    # fenv_t: on x86-64 mxcsr is the word at 28, flush-to-zero and denormals-are-zero are bits 15 and 6;
    # on 64-bit Arm fpcr is the first word, flush-to-zero is bit 24.
    word, bits = (7, 0x8040) if platform.machine() == "x86_64" else (0, 1 << 24)
    libm = ctypes.CDLL("libm.so.6")
    before = (ctypes.c_uint32 * 16)()
    libm.fegetenv(before)
    flushing = type(before)(*before)
    flushing[word] |= bits
    libm.fesetenv(flushing)
    try:
        yield
    finally:
        libm.fesetenv(before)


@pytest.mark.parametrize("kernel", KERNELS)
def test_subnormals_count_in_threads_that_flush_them(kernel: str) -> None:
    for name in ("float16", "bfloat16", "float32", "float64", "complex64", "complex128"):
        bits = np.array([3, 0, 5, 0], f"u{dtype_named(part_name(name)).itemsize}")
        array = bits.view(dtype_named(name))
        expected = native.measure_by(kernel, array)
        assert expected.subnormal == 2
        assert expected.sum > 0
        with subnormals_flushed():
            flushes = np.multiply(5e-324, np.ones(1))[0].tobytes() == bytes(8)
            counts = _native.measure(array.view(np.uint8), DTYPE_NUMBERS[name], array.size, kernel)
            still_flushes = np.multiply(5e-324, np.ones(1))[0].tobytes() == bytes(8)
        assert flushes, "the test did not do what it should"
        assert still_flushes, "the thread's own setting must come back"
        assert counts[-2] == expected.sum, name


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", FLOAT_NAMES)
@pytest.mark.parametrize("size", [0, 1, 63, 5000, 200_003])
def test_whether_all_are_finite(kernel: str, name: str, size: int) -> None:
    number = DTYPE_NUMBERS[name]
    array = np.linspace(-2.0, 2.0, size).astype(dtype_named(name))
    assert _native.all_finite(array.view(np.uint8), number, kernel)
    for index in range(0, size, max(1, size // 7)):
        for bad in (np.nan, np.inf, -np.inf):
            ruined = array.copy()
            with np.errstate(all="ignore"):
                ruined[index] = bad
            expected = reference.measure(ruined).non_finite == 0
            assert _native.all_finite(ruined.view(np.uint8), number, kernel) is expected


def test_whole_numbers_are_always_finite() -> None:
    assert _native.all_finite(np.full(9, -1, np.int32), DTYPE_NUMBERS["int32"])


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", [name for name in FLOAT_NAMES if not name.startswith("complex")])
@pytest.mark.parametrize("size", [0, 1, 63, 5000])
def test_sketches_agree_with_the_reference(kernel: str, name: str, size: int) -> None:
    array = np.random.default_rng(size).normal(size=size).astype(dtype_named(name))
    array[3:60:19] = [np.nan, np.inf, -np.inf][: len(array[3:60:19])] if name != "float8_e4m3fn" else np.nan
    found = _native.sketch(array.view(np.uint8), DTYPE_NUMBERS[name], kernel)
    np.testing.assert_allclose(found, reference.sketch(array), rtol=1e-9, atol=1e-9)


def test_what_is_no_real_number_has_no_sketch() -> None:
    with pytest.raises(ValueError, match="dtype number 16 has no sketch"):
        _native.sketch(np.zeros(3, np.complex64), DTYPE_NUMBERS["complex64"])
