"""Kept tensors are read as they were written; whatever happened to the files, nothing else is taken for them."""

from __future__ import annotations

import builtins
import json
import math
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tensordbg.errors import TraceError, UsageError
from tensordbg.health import measure
from tensordbg.health.spec import MEASURABLE
from tensordbg.trace.raw.values import KeptTensor, ValueFiles, numpy_dtype
from tensordbg.trace.reader import open_trace
from tensordbg.trace.sealed.seal import seal_all
from tests.trace.builder import Tensor, TraceBuilder, kept, small_program

FORMS: list[tuple[int, ...]] = [(), (0,), (3, 0, 2), (1,), (7,), (3, 5), (2, 3, 4)]


def random_bits(dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Any bits at all: NaNs with payloads, subnormals, infinities."""
    count = math.prod(shape)
    data = np.random.default_rng(count).bytes(count * dtype.itemsize)
    if dtype.name == "bool":
        return np.frombuffer(data, np.uint8).reshape(shape) % 2 == 1
    return np.frombuffer(data, dtype).reshape(shape)


@pytest.mark.parametrize("name", sorted(MEASURABLE))
def test_every_dtype_and_shape_to_the_bit(tmp_path: Path, name: str) -> None:
    build = TraceBuilder(tmp_path / "trace")
    build.describe(small_program())
    arrays = [random_bits(numpy_dtype(name), shape) for shape in FORMS]
    with np.errstate(all="ignore"):
        for array in arrays:
            build.graph_tensor(7, 1, kept(array))
    trace = build.finish()
    for seal in (lambda _: None, seal_all):
        seal(trace)
        reader = open_trace(trace)
        for event, array in enumerate(arrays):
            read = reader.value(event)
            assert (read.dtype, read.shape) == (array.dtype, array.shape)
            assert read.tobytes() == array.tobytes()


def test_large_tensor_is_mapped_and_can_not_be_written(tmp_path: Path) -> None:
    array = np.random.default_rng(0).normal(size=(600, 500)).astype(np.float64)
    build = TraceBuilder(tmp_path / "trace")
    build.describe(small_program())
    build.graph_tensor(7, 1, kept(np.ones(3, np.float32)))
    build.graph_tensor(7, 1, kept(array))
    read = open_trace(build.finish()).value(1)
    assert np.array_equal(read, array)
    with pytest.raises(ValueError, match="read-only"):
        read[0, 0] = 1


def test_what_was_not_kept_and_what_is_not_there(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "trace")
    build.describe(small_program())
    build.graph_tensor(7, 1, Tensor())
    reader = open_trace(build.finish())
    with pytest.raises(UsageError, match="elements of event 0 were not kept; record with --detail values"):
        reader.value(0)
    for event in (-1, 1):
        with pytest.raises(UsageError, match=f"no event {event}; the trace has 1, numbered from 0"):
            reader.value(event)


@pytest.fixture
def files(tmp_path: Path) -> Callable[[int], ValueFiles]:
    """The bytes 0, 1, 2... of 64 uint8 at each multiple of 64, in files of so many bytes."""

    def make(file_bytes: int) -> ValueFiles:
        data = bytes(range(256)) * 2
        (tmp_path / "values").mkdir()
        for index in range(math.ceil(len(data) / file_bytes)):
            piece = data[index * file_bytes : (index + 1) * file_bytes]
            (tmp_path / "values" / f"{index:06d}.bin").write_bytes(piece)
        return ValueFiles(tmp_path, file_bytes)

    return make


@pytest.mark.parametrize("file_bytes", [64, 96, 100, 512, 4096])
@pytest.mark.parametrize(("position", "count"), [(0, 512), (64, 3), (128, 200), (448, 64), (512, 0)])
def test_tensor_over_several_files(
    files: Callable[[int], ValueFiles], file_bytes: int, position: int, count: int
) -> None:
    read = files(file_bytes).read(KeptTensor(position, "uint8", (count,), None))
    assert read.tolist() == [(position + k) % 256 for k in range(count)]


@pytest.mark.parametrize(
    ("position", "shape"), [(-64, (1,)), (1, (1,)), (448, (65,)), (2**62, (1,)), (0, (-1,)), (0, (2**61,))]
)
def test_places_where_nothing_can_lie(
    files: Callable[[int], ValueFiles], position: int, shape: tuple[int, ...]
) -> None:
    with pytest.raises(TraceError, match=r"restore the file from a copy, or record again") as error:
        files(512).read(KeptTensor(position, "uint8", shape, None))
    assert "\n" not in str(error.value)


def test_other_elements_are_not_taken_for_those_recorded(files: Callable[[int], ValueFiles]) -> None:
    health = measure(np.arange(64, dtype=np.uint8))
    folder = files(512)
    folder.read(KeptTensor(0, "uint8", (64,), health))
    with pytest.raises(TraceError, match="at 64 lies something else than was recorded"):
        folder.read(KeptTensor(64, "uint8", (64,), health))


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name == "ml_dtypes":
            raise ImportError(name)
        return plain(name, *rest)

    monkeypatch.delitem(sys.modules, "ml_dtypes")
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(UsageError, match=r"no dtype 'bfloat16' of its own; `pip install ml_dtypes` brings it"):
        numpy_dtype("bfloat16")
    assert numpy_dtype("float16") == np.float16


def test_dtypes_without_elements() -> None:
    assert numpy_dtype("float8_e5m2") == ml_dtypes.float8_e5m2
    with pytest.raises(UsageError, match="elements of dtype 'string' are not kept"):
        numpy_dtype("string")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sealed trace of one tensor."""
    build = TraceBuilder(tmp_path_factory.mktemp("sound") / "trace")
    build.describe(small_program())
    build.graph_tensor(7, 1, kept(np.linspace(-3, 5, 40).astype(np.float32)))
    trace = build.finish()
    seal_all(trace)
    return trace


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damage_is_a_trace_error(sound: Path, tmp_path: Path, data: st.DataObject) -> None:
    folder = tmp_path / "damaged"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sound, folder)
    file = folder / "values" / "000000.bin"
    whole = file.read_bytes()
    how = data.draw(st.sampled_from(["cut", "zeros", "gone", "flipped"]))
    if how == "cut":
        file.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    elif how == "zeros":
        begin = data.draw(st.integers(0, len(whole) - 8)) // 4 * 4
        file.write_bytes(whole[:begin] + bytes(len(whole) - begin))
    elif how == "gone":
        file.unlink()
    else:
        place = data.draw(st.integers(0, len(whole) // 4 - 1)) * 4 + 3
        # A sign, or a bit of the exponent.
        flipped = whole[place] ^ data.draw(st.integers(1, 127)) << 1 & 0xFF
        file.write_bytes(whole[:place] + bytes([flipped]) + whole[place + 1 :])
    with pytest.raises(TraceError) as error:
        open_trace(folder).value(0)
    assert json.dumps(str(error.value)).count("\\n") == 0


def test_sealing_leaves_the_values_alone(sound: Path) -> None:
    assert [path.name for path in (sound / "values").iterdir()] == ["000000.bin"]
    assert not (sound / "segments").exists()
