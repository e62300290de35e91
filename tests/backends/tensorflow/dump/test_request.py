"""The arguments of `enable_dump_debug_info`, and the errors for bad ones, are TensorFlow's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tensorflow as tf
from tensorflow.core.protobuf import debug_event_pb2

from tensordbg.backends.tensorflow.dump.request import (
    MODES,
    DumpRequest,
    check_buffer_size,
    check_mode,
    check_root,
    make_filter,
)
from tensordbg.health.spec import DTYPES
from tensordbg.model import Detail
from tensordbg.recording.tensor_filter import TensorFilter


def names(chosen: TensorFilter) -> set[str]:
    assert chosen.dtypes is not None
    return {DTYPES[number] for number in chosen.dtypes}


def test_the_modes_are_those_of_tensorflow() -> None:
    assert list(MODES) == list(debug_event_pb2.TensorDebugMode.keys())


@pytest.mark.parametrize("mode", ["FOO", "", None, "full_health", *[mode for mode in MODES if MODES[mode] is None]])
def test_bad_modes_are_refused_in_the_words_of_tensorflow(mode: str, tmp_path: Path) -> None:
    with pytest.raises((ValueError, NotImplementedError)) as theirs:
        tf.debugging.experimental.enable_dump_debug_info(str(tmp_path), tensor_debug_mode=mode)
    with pytest.raises(theirs.type, match=f"^{re.escape(str(theirs.value))}$"):
        check_mode(mode)


@pytest.mark.parametrize("wanted", ["float32", 3, tf.float32, {"float32"}])
def test_bad_dtypes_are_refused_in_the_words_of_tensorflow(wanted: object, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="tensor_dtypes") as theirs:
        tf.debugging.experimental.enable_dump_debug_info(str(tmp_path), tensor_dtypes=wanted)
    with pytest.raises(ValueError, match=f"^{re.escape(str(theirs.value))}$"):
        make_filter(None, wanted)  # type: ignore[arg-type]


def test_what_is_no_dtype_is_refused_as_tensorflow_refuses_it(tmp_path: Path) -> None:
    with pytest.raises(TypeError) as theirs:
        tf.debugging.experimental.enable_dump_debug_info(str(tmp_path), tensor_dtypes=["number"])
    with pytest.raises(TypeError, match=re.escape(str(theirs.value))):
        make_filter(None, ["number"])


@pytest.mark.parametrize("root", ["", None, Path()])
def test_no_root(root: str) -> None:
    if root == Path():
        assert check_root(root) == "."
        return
    with pytest.raises(ValueError, match=r"^Empty or None dump root$"):
        check_root(root)


def test_a_root_elsewhere() -> None:
    with pytest.raises(ValueError, match="'gs://bucket/dump' is not on a file system of this machine; give a local"):
        check_root("gs://bucket/dump")


def test_a_buffer_of_no_whole_size() -> None:
    assert check_buffer_size(-1) == -1
    with pytest.raises(TypeError, match="integer"):
        check_buffer_size(10.5)  # type: ignore[arg-type]


def test_a_pattern_that_is_none() -> None:
    with pytest.raises(re.error, match="nothing to repeat"):
        make_filter("*Log", None)


def test_dtypes_by_name_by_object_and_by_question() -> None:
    assert names(make_filter(None, ["float32", tf.bool, "bfloat16"])) == {"float32", "bool", "bfloat16"}
    assert names(make_filter(None, (tf.int32,))) == {"int32"}
    integers = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
    assert names(make_filter(None, lambda dtype: dtype.is_integer)) == integers
    assert names(make_filter(None, lambda dtype: {tf.float32: True}[dtype])) == {"float32"}


def test_an_empty_list_is_no_filter_as_with_tensorflow() -> None:
    assert make_filter("", []) == make_filter(None, None) == TensorFilter()


def test_strings_have_no_numbers_to_record() -> None:
    assert names(make_filter(None, [tf.string, tf.resource, tf.float16])) >= {"float16"}


@pytest.mark.parametrize(
    ("mode", "size", "detail", "last"),
    [
        ("NO_TENSOR", 1000, Detail.OPS, 1000),
        ("SHAPE", 0, Detail.SHAPES, 0),
        ("CURT_HEALTH", -1, Detail.HEALTH, 0),
        ("CONCISE_HEALTH", 1, Detail.HEALTH, 1),
        ("FULL_HEALTH", 7, Detail.HEALTH, 7),
        ("FULL_TENSOR", 7, Detail.VALUES, 7),
    ],
)
def test_what_is_recorded(mode: str, size: int, detail: Detail, last: int) -> None:
    wanted = TensorFilter("Log", frozenset({12}))
    plan = DumpRequest("runs", mode, size, wanted).plan
    assert (plan.detail, plan.last, plan.tensors) == (detail, last, wanted)


def test_the_folder_is_the_same_wherever_the_program_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    request = DumpRequest("runs/../dump", "SHAPE", 1, TensorFilter())
    assert request.folder == str(tmp_path / "dump")
