"""Files of named tensors become traces; what is damaged is refused, and bounded."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save_file

import tensordbg
from tensordbg.errors import TraceError, UsageError
from tensordbg.importers.tensor_files import importing
from tensordbg.importers.tensor_files.importing import import_files

RANDOM = np.random.default_rng(0)
ARRAYS: dict[str, Any] = {
    "plain": RANDOM.normal(size=(3, 4)).astype(np.float32),
    "column_major": np.asfortranarray(RANDOM.normal(size=(3, 4, 2))),
    "big_endian": RANDOM.normal(size=5).astype(">f4"),
    "scalar": np.float16(2.5),
    "empty": np.zeros((0, 3), np.float32),
    "ids": np.arange(4),
    "flags": np.array([True, False]),
    "complex": np.array([1 + 2j, np.nan]),
    "bad": np.array([1.0, np.inf, np.nan]),
}


def imported(tmp_path: Path, *files: Path) -> tensordbg.Trace:
    return tensordbg.open(import_files(files, tmp_path / "out").trace)


@pytest.mark.parametrize("packed", [np.savez, np.savez_compressed])
def test_npz(tmp_path: Path, packed: Any) -> None:
    packed(tmp_path / "a.npz", **ARRAYS)
    trace = imported(tmp_path, tmp_path / "a.npz")
    for name, array in ARRAYS.items():
        values = trace.tensor(name).values(0)[0]
        np.testing.assert_array_equal(values, array)
        assert values.shape == array.shape
    assert [str(row.tensor) for row in trace.tensors(non_finite=True).rows] == ["complex:0", "bad:0"]


def test_npy(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", ARRAYS["column_major"])
    trace = imported(tmp_path, tmp_path / "x.npy")
    np.testing.assert_array_equal(trace.tensor("x").values(0)[0], ARRAYS["column_major"])


def test_safetensors(tmp_path: Path) -> None:
    arrays = {
        name: np.ascontiguousarray(array) for name, array in ARRAYS.items() if name not in {"big_endian", "complex"}
    }
    arrays["brain"] = arrays["plain"].astype(ml_dtypes.bfloat16)
    save_file(arrays, tmp_path / "a.safetensors", metadata={"format": "np"})
    trace = imported(tmp_path, tmp_path / "a.safetensors")
    for name, array in arrays.items():
        np.testing.assert_array_equal(trace.tensor(name).values(0)[0], array)
    assert trace.table("tensors")["dtype"].to_pylist()[-1] in {"float16", "float32", "int64", "bool", "bfloat16"}


def test_what_holds_no_numbers_is_named_alone(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", texts=np.array(["a", "b"]), x=np.ones(2))
    table = imported(tmp_path, tmp_path / "a.npz").table("tensors")
    assert (table["dtype"].to_pylist(), table["min"].to_pylist()) == (["unknown", "float64"], [None, 1.0])


def test_files_named_by_steps_are_steps(tmp_path: Path) -> None:
    for step in (0, 2, 10):
        np.savez(tmp_path / f"dump_{step}.npz", x=np.full(3, step))
    trace = imported(tmp_path, *(tmp_path / f"dump_{step}.npz" for step in (10, 0, 2)))
    table = trace.table("tensors")
    assert list(zip(table["step"].to_pylist(), table["max"].to_pylist(), strict=True)) == [(0, 0), (2, 2), (10, 10)]
    assert len(trace.table("sites")) == 1


def test_names_that_come_twice_are_told_apart(tmp_path: Path) -> None:
    for name in ("encoder", "decoder"):
        np.savez(tmp_path / f"{name}.npz", w=np.ones(3))
    trace = imported(tmp_path, tmp_path / "encoder.npz", tmp_path / "decoder.npz")
    assert trace.table("sites")["name"].to_pylist() == ["w", "w_2"]


def test_a_large_tensor_is_measured_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    array = RANDOM.normal(size=1000).astype(np.float32)
    array[[700, 900]] = np.nan, np.inf
    np.savez(tmp_path / "a.npz", x=array)
    whole = imported(tmp_path, tmp_path / "a.npz").table("tensors").to_pylist()[0]
    monkeypatch.setattr("tensordbg.importers.tensor_files.stored.WHOLE", 100)
    monkeypatch.setattr("tensordbg.importers.tensor_files.stored.PIECE", 128)
    pieces = imported(tmp_path, tmp_path / "a.npz").table("tensors").to_pylist()[0]
    assert (pieces["first_bad"], pieces["value_position"], whole["value_position"]) == (700, None, 0)
    for name in ("size", "negative", "positive", "nan", "pos_inf", "min", "max"):
        assert pieces[name] == whole[name]
    assert pieces["sum"] == pytest.approx(whole["sum"])


def test_what_unpacks_to_far_more_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "_LEAST_KEPT", 1000)
    np.savez_compressed(tmp_path / "bomb.npz", **{f"x{number}": np.zeros(100_000) for number in range(5)})
    table = imported(tmp_path, tmp_path / "bomb.npz").table("tensors")
    assert table["zero"].to_pylist() == [100_000] * 5
    assert table["value_position"].to_pylist() == [None] * 5


def of_header(header: Any, numbers: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + numbers


def entry(dtype: str = "F32", shape: Any = (1,), offsets: Any = (0, 4)) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no header of that format"),
        (struct.pack("<Q", 2**60), "no header of that format"),
        (of_header(b"{"), "its header is no JSON"),
        (of_header(b"[" * 10_000), "its header is no JSON"),
        (of_header([]), "its header is no object"),
        (of_header({"x": 3}), "what it says of the tensor 'x' can't be"),
        (of_header({"x": entry(shape=[-1])}, bytes(4)), "what it says of the tensor 'x' can't be"),
        (of_header({"x": entry(shape=[True])}, bytes(4)), "what it says of the tensor 'x' can't be"),
        (of_header({"x": entry(shape=[2**40, 2**40])}, bytes(4)), "what it says of the tensor 'x' can't be"),
        (of_header({"x": entry(offsets=[0, 8], shape=[2])}, bytes(4)), "what it says of the tensor 'x' can't be"),
        (of_header({"x": entry(shape=[2])}, bytes(4)), "are more or fewer than its shape has"),
        (of_header({"x": entry(), "y": entry()}, bytes(4)), "overlap with those of another tensor"),
        (of_header({"x" * 5000: entry()}, bytes(4)), "can't be"),
    ],
)
def test_a_hostile_safetensors_is_refused_and_leaves_nothing(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "a.safetensors").write_bytes(data)
    with pytest.raises(TraceError, match=why):
        import_files([tmp_path / "a.safetensors"], tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())


def npy(header: str, numbers: bytes = b"") -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + numbers


SOUND = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is no array of NumPy"),
        (npy("{'descr': __import__('os'), 'fortran_order': False, 'shape': (2,)}"), "is no array of NumPy"),
        (npy(SOUND), "ends within a tensor"),
        (npy(SOUND.replace("(2,)", f"({2**50},)")), "can't be"),
        (npy("(" * 200 + ")" * 200), "is no array of NumPy"),
    ],
)
def test_a_hostile_array_is_refused(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "a.npy").write_bytes(data)
    with pytest.raises(TraceError, match=why):
        import_files([tmp_path / "a.npy"], tmp_path / "out")


def test_a_hostile_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(TraceError, match="is no archive of arrays"):
        import_files([tmp_path / "a.npz"], tmp_path / "out")
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", npy(SOUND, bytes(400)))
    with pytest.raises(TraceError, match="more or fewer than its shape has"):
        import_files([tmp_path / "a.npz"], tmp_path / "out")
    whole = (tmp_path / "a.npz").read_bytes()
    np.savez_compressed(tmp_path / "a.npz", x=RANDOM.normal(size=1000))
    whole = bytearray((tmp_path / "a.npz").read_bytes())
    whole[500:600] = bytes(100)
    (tmp_path / "a.npz").write_bytes(whole)
    with pytest.raises(TraceError, match="can't be read"):
        import_files([tmp_path / "a.npz"], tmp_path / "out")


def test_an_object_array_is_never_unpickled(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert imported(tmp_path, tmp_path / "a.npy").table("tensors")["dtype"].to_pylist() == ["unknown"]


def test_a_link_and_a_missing_file(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones(1))
    (tmp_path / "link.npy").symlink_to(tmp_path / "a.npy")
    with pytest.raises(TraceError, match="is a link"):
        import_files([tmp_path / "link.npy"], tmp_path / "out")
    with pytest.raises(UsageError, match="there is no such file; name files that end with"):
        import_files([tmp_path / "none.npy"], tmp_path / "out")
